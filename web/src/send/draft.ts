import type { Schema } from '../api/client.js';
import { momentIn } from '../ui/moments.js';
import { type MenuRow, rowsOf } from './menu.js';

/** Ways of a campaign; a session message has a page of its own. */
export const CHANNELS = [
  ['sms', 'SMS'],
  ['unofficial', 'Unofficial chat'],
  ['template', 'Template message'],
  ['branded', 'Branded template'],
  ['voice', 'Voice'],
] as const;

export type ChannelName = (typeof CHANNELS)[number][0];

/** What is being written; every field stays when the channel is changed. */
export interface Draft {
  name: string;
  message: string;
  /** of a template campaign */
  template: string;
  bodyValues: Readonly<Record<string, string>>;
  headerValue: string;
  /** of a template campaign: white space that the provider refuses becomes blanks */
  flatten: boolean;
  image: string;
  image2: string;
  document: string;
  senderId: string;
  dltTemplateId: string;
  validity: string;
  source: 'paste' | 'upload' | 'list';
  pasted: string;
  uploadId: string;
  listId: string;
  /** one message for each person */
  removeDuplicates: boolean;
  /** rows at fault are left out instead of stopping the send */
  skipInvalid: boolean;
  /** of a file: which column fills a placeholder that is called otherwise */
  columns: Readonly<Record<string, string>>;
  schedule: string;
  late: string;
  lateAfter: string;
  language: string;
  audioUrl: string;
  callerId: string;
  plan: string;
  retries: string;
  retryInterval: string;
  menu: readonly MenuRow[];
}

export const EMPTY: Draft = {
  name: '',
  message: '',
  template: '',
  bodyValues: {},
  headerValue: '',
  flatten: false,
  image: '',
  image2: '',
  document: '',
  senderId: '',
  dltTemplateId: '',
  validity: '',
  source: 'paste',
  pasted: '',
  uploadId: '',
  listId: '',
  removeDuplicates: true,
  skipInvalid: true,
  columns: {},
  schedule: '',
  late: 'send',
  lateAfter: '600',
  language: 'en',
  audioUrl: '',
  callerId: '',
  plan: '15',
  retries: '0',
  retryInterval: '60',
  menu: [],
};

export type Template = Schema<'OwnTemplateAnswer'>;
export type Body = Record<string, unknown>;

/** Numbers as people paste them: one a line, or with commas, semicolons or tabs between them. */
export const numbersOf = (text: string): string[] =>
  text
    .split(/[\n,;\t]+/)
    .map((number) => number.trim())
    .filter((number) => number !== '');

/** The placeholders `{{1}}`, `{{2}}` of an approved text, each once, ascending. */
export const numbersIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{\{(\d+)\}\}/g)].map(([, number]) => number ?? ''))].sort(
    (a, b) => Number(a) - Number(b),
  );

/** `{{name}}` or `{{name|there}}`, and the backslashes before it: an odd number makes it plain text. */
const PLACEHOLDER = /(\\*)\{\{\s*([\p{L}\p{M}\p{N}_-]{1,64})\s*(\|[^}]*)?\}\}/gu;

/** Names of the placeholders that each recipient’s values fill in, each once. */
export function placeholdersIn(channel: ChannelName, draft: Draft): string[] {
  const texts = isOfTemplates(channel) ? [...Object.values(draft.bodyValues), draft.headerValue] : [draft.message];
  const found = texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)]);
  return [...new Set(found.flatMap(([, slashes = '', name = '']) => (slashes.length % 2 === 1 ? [] : [name])))];
}

/** The text with its placeholders under the names of the columns that fill them. */
const byColumns = (text: string, columns: Draft['columns']): string =>
  text.replace(PLACEHOLDER, (whole, slashes: string, name: string, rest = '') => {
    const column = columns[name] ?? '';
    return slashes.length % 2 === 1 || column === '' ? whole : `${slashes}{{${column}${String(rest)}}}`;
  });

/** The draft as it leaves for a file whose columns are called otherwise. */
function withColumns(draft: Draft): Draft {
  if (draft.source !== 'upload') return draft;
  const { columns, bodyValues, message, headerValue } = draft;
  return {
    ...draft,
    message: byColumns(message, columns),
    headerValue: byColumns(headerValue, columns),
    bodyValues: Object.fromEntries(
      Object.entries(bodyValues).map(([number, value]) => [number, byColumns(value, columns)]),
    ),
  };
}

export const isOfTemplates = (channel: ChannelName): boolean => channel === 'template' || channel === 'branded';

const given = (fields: Body): Body =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined));

/** `2026-11-24T09:30` of the field as the API reads it, in the account's time zone. */
const momentOf = (schedule: string): string => (schedule === '' ? '' : `${schedule.replace('T', ' ')}:00`);

function recipientsOf({ source, pasted, uploadId, listId, removeDuplicates, skipInvalid }: Draft): Body {
  const options = { remove_duplicates: removeDuplicates, skip_invalid: skipInvalid };
  if (source === 'upload') return { upload_id: Number(uploadId), ...options };
  if (source === 'list') return { list_id: Number(listId), ...options };
  return { contacts: numbersOf(pasted), ...options };
}

const MEDIA: Readonly<Record<string, string>> = { Image: 'image', Video: 'video', Document: 'document' };

interface WantedValue {
  index: number;
  type: string;
  label: string;
}

/** Buttons of a template that want a value, each under its index among all buttons. */
export function buttonsWanting(template: Template | undefined): WantedValue[] {
  const replies = template === undefined ? 0 : (JSON.parse(template.quick_replies) as unknown[]).length;
  return (template?.buttons ?? []).flatMap(({ type, text, url }, at): WantedValue[] => {
    if (type === 'COPY_CODE') return [{ index: replies + at, type, label: 'Code to copy' }];
    return type === 'URL' && url?.includes('{{1}}') === true
      ? [{ index: replies + at, type, label: `End of the address of "${text ?? ''}"` }]
      : [];
  });
}

const buttonKey = (index: number): string => `button_${String(index)}`;

/** The value of a button, kept beside those of the body. */
export const buttonValue = (draft: Draft, index: number): string => draft.bodyValues[buttonKey(index)] ?? '';

export const withButtonValue = ({ bodyValues }: Draft, index: number, value: string): Pick<Draft, 'bodyValues'> => ({
  bodyValues: { ...bodyValues, [buttonKey(index)]: value },
});

function templateOf(draft: Draft, template: Template | undefined): Body {
  const text = (value: string) => ({ type: 'text', text: value });
  const body = numbersIn(template?.template_body ?? '').map((number) => text(draft.bodyValues[number] ?? ''));
  const media = MEDIA[template?.header_media_type ?? ''];
  const header =
    template?.header_area_type === 'media' && media !== undefined
      ? [{ type: media, [media]: { link: draft.headerValue } }]
      : numbersIn(template?.header_text ?? '').length > 0
        ? [text(draft.headerValue)]
        : [];
  const components = [
    ...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
    ...buttonsWanting(template).map(({ index, type }) => {
      const value = buttonValue(draft, index);
      const isUrl = type === 'URL';
      return {
        type: 'button',
        sub_type: isUrl ? 'url' : 'copy_code',
        index: String(index),
        parameters: [isUrl ? text(value) : { type: 'coupon_code', coupon_code: value }],
      };
    }),
  ];
  return { name: draft.template, ...(components.length > 0 && { components }) };
}

function saidBy(channel: ChannelName, draft: Draft, template: Template | undefined): Body {
  if (isOfTemplates(channel)) {
    return { template: templateOf(draft, template), ...(draft.flatten && { flatten: true }) };
  }
  if (channel === 'voice') {
    return {
      ...given({
        message: draft.audioUrl === '' ? draft.message : '',
        audio_url: draft.audioUrl,
        language: draft.language,
        caller_id: draft.callerId,
        voiceplan: draft.plan,
      }),
      retries: Number(draft.retries),
      retry_interval: Number(draft.retryInterval),
      ...(draft.menu.length > 0 && { dtmf_flow: { rows: rowsOf(draft.menu) } }),
    };
  }
  if (channel === 'unofficial') {
    return given({ message: draft.message, img1: draft.image, img2: draft.image2, document: draft.document });
  }
  return given({
    message: draft.message,
    sender_id: draft.senderId,
    dlt_template_id: draft.dltTemplateId,
    validity_s: draft.validity === '' ? undefined : Number(draft.validity),
  });
}

/** The body of the send, and of its quote. */
export function bodyOf(channel: ChannelName, draft: Draft, template: Template | undefined): Body {
  const recipients = channel === 'voice' ? { contacts: numbersOf(draft.pasted) } : recipientsOf(draft);
  return {
    ...(channel !== 'voice' && { channel }),
    broadcast_name: draft.name,
    ...saidBy(channel, channel === 'voice' ? draft : withColumns(draft), template),
    ...recipients,
    ...(draft.schedule !== '' && {
      schedule_time: momentOf(draft.schedule),
      ...(draft.late !== 'send' && { late: draft.late, late_after_s: Number(draft.lateAfter) }),
    }),
  };
}

/** The same to one number alone, now: a test. @param variables of the recipient whose text is tried */
export function testBodyOf(body: Body, number: string, variables: Readonly<Record<string, string>>): Body {
  const { contacts: _contacts, upload_id: _upload, list_id: _list, schedule_time: _moment, ...others } = body;
  const { late: _late, late_after_s: _after, remove_duplicates: _once, skip_invalid: _skip, ...rest } = others;
  const test = { ...rest, broadcast_name: `Test: ${String(body['broadcast_name'])}` };
  return 'channel' in body ? { ...test, recipients: [{ to: number, variables }] } : { ...test, contacts: [number] };
}

/** What is wrong with the time of a draft; null = nothing. */
export function scheduleFault({ schedule }: Draft, timeZone: string): string | null {
  if (schedule === '') return null;
  const at = momentIn(schedule, timeZone);
  if (at === null) return 'Enter a date and a time';
  return at.getTime() <= Date.now() ? 'This time has passed. Choose a later one.' : null;
}

/** What is missing before anything can be asked of the API; null = nothing. */
export function missingOf(channel: ChannelName, draft: Draft, timeZone: string): string | null {
  if (draft.name.trim() === '') return 'Give the campaign a name';
  if (isOfTemplates(channel) && draft.template === '') return 'Choose a template';
  if (channel === 'voice' ? draft.message.trim() === '' && draft.audioUrl === '' : false) {
    return 'Write the spoken text, or give the address of an audio file';
  }
  if (!isOfTemplates(channel) && channel !== 'voice' && draft.message.trim() === '') return 'Write the message';
  const { source } = draft;
  if ((channel === 'voice' || source === 'paste') && numbersOf(draft.pasted).length === 0) return 'Add recipients';
  if (channel !== 'voice' && source === 'upload' && draft.uploadId === '') return 'Choose a file of recipients';
  if (channel !== 'voice' && source === 'list' && draft.listId === '') return 'Choose a list';
  return scheduleFault(draft, timeZone) === null ? null : 'Choose a later time';
}
