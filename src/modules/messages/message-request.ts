import { isSchedule } from '../../kernel/clock.js';
import { isUserId } from '../../kernel/contacts.js';
import { fieldErrors } from '../../kernel/errors.js';
import { objectOrNull, refusedDigits } from '../../kernel/json-values.js';
import { readText, textOrNull } from '../../kernel/text.js';
import type { AnswerWarning } from '../../platform/http/index.js';
import type { Account } from '../accounts/index.js';
import { priceOf, smsChannel, smsErrors } from '../channels/sms/index.js';
import {
  readTemplateReference,
  templateChannel,
  templateRequestErrors,
  type TemplateReference,
} from '../channels/template-messages/index.js';
import { acceptanceErrors, type Submission } from '../engine/index.js';
import { NumberCheck, readerOf } from '../numbers/index.js';
import { readSmsOptions, type SmsOptions } from '../sender-ids/index.js';
import { MESSAGE_TYPES, readSessionMessage } from '../session-messages/index.js';
import { LONGEST_REF, MESSAGE_CHANNELS, type MessageChannel, messageErrors, MOST_METADATA } from './messages.errors.js';

type SessionContent = Extract<ReturnType<typeof readSessionMessage>, { message: unknown }>['message'];

interface Common {
  /** digits with country code; of a session also a user id */
  to: string;
  /** `schedule_time` as given, in a known form; a past time is refused with the message */
  schedule: unknown;
  tags: NonNullable<Submission['tags']>;
  /** a part of its text that is stored sealed only */
  secret?: string;
  warnings: readonly AnswerWarning[];
}

/** A message that passed the rows of reference/messages#errors about its body. */
export type MessageRequest = Common &
  (
    | { channel: 'sms'; text: string; route: string | null; options: SmsOptions }
    | { channel: 'template'; template: Omit<TemplateReference, 'language'> & Partial<TemplateReference> }
    | { channel: 'session'; message: SessionContent }
  );

type Body = Readonly<Record<string, unknown>>;

/** Fields that only some channels have. */
const FIELDS: Readonly<Record<string, readonly MessageChannel[]>> = {
  text: ['sms', 'session'],
  template: ['template'],
  content: ['session'],
  sender_id: ['sms'],
  route: ['sms'],
  validity_s: ['sms'],
  dlt_template_id: ['sms'],
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Types of `content`; a template is a channel of its own. */
export const CONTENT_TYPES = MESSAGE_TYPES.filter((type) => type !== 'template');

/** Reads and validates a message. @throws AppError the first row of reference/messages#errors that applies */
export function readMessage(body: Body, account: Account): MessageRequest {
  const channel = MESSAGE_CHANNELS.find((known) => known === body['channel']);
  if (!channel) throw messageErrors.channel('channel', MESSAGE_CHANNELS);
  const { to, warnings } = readTo(body['to'], channel, account);
  for (const [field, channels] of Object.entries(FIELDS))
    if (isGiven(body[field]) && !channels.includes(channel)) throw fieldErrors.foreign(field, channel);
  const said = CONTENTS[channel](body, to);
  const schedule = body['schedule_time'];
  if (!isSchedule(schedule)) throw acceptanceErrors.scheduleTime();
  return { ...said, to, schedule, warnings, tags: readTags(body) };
}

/** A number as the strict reader takes it, for SMS, calls and templates. @throws AppError invalid `to …` */
export const readMessageNumber = (value: unknown, account: Account): Pick<Common, 'to' | 'warnings'> =>
  readTo(value, 'sms', account);

function readTo(value: unknown, channel: MessageChannel, account: Account): Pick<Common, 'to' | 'warnings'> {
  const userId = channel === 'session' ? (textOrNull(value)?.trim() ?? '') : '';
  if (isUserId(userId)) return { to: userId, warnings: [] };
  const read = readerOf(account, channel === 'sms' ? smsChannel : templateChannel)(value);
  if ('refused' in read) throw messageErrors.to(read.refused);
  const check = NumberCheck.begin(account);
  const fault = check?.check(read.digits, 1);
  if (!fault) return { to: read.digits, warnings: [] };
  const error = messageErrors.to(`is no number: ${fault.reason}`);
  if (check?.mode === 'refuse') throw error;
  const { message } = error;
  const warning = { code: 'number_looks_wrong', field: 'to', reason: fault.reason.replaceAll(' ', '_'), message };
  return { to: read.digits, warnings: [warning] };
}

type Content<Channel extends MessageChannel> = Omit<Extract<MessageRequest, { channel: Channel }>, keyof Common>;

const CONTENTS: { [Channel in MessageChannel]: (body: Body, to: string) => Content<Channel> } = {
  sms: (body) => {
    const text = textOf(body['text']);
    if (priceOf(text).credits === null) throw smsErrors.tooLong().helping({ field: 'text' });
    const { sender_id, dlt_template_id, validity_s } = body;
    const said = readSmsOptions({ sender_id, dlt_template_id, validity_s });
    if ('fault' in said) throw smsErrors[said.fault]();
    const route = readText(body['route']);
    if (route.kind === 'fault') throw fieldErrors.invalid('route');
    return { channel: 'sms', text, route: route.kind === 'text' ? route.value : null, options: said.options };
  },
  template: (body) => {
    const read = readTemplateReference(body['template'], true);
    if ('fault' in read) throw templateRequestErrors[read.fault]();
    const { language, ...template } = read.reference;
    return { channel: 'template', template: { ...template, ...(language && { language }) } };
  },
  session: (body, to) => {
    if (isGiven(body['text']) === isGiven(body['content'])) throw messageErrors.oneContent();
    const content = isGiven(body['text'])
      ? { type: 'text', text: { body: textOf(body['text']) } }
      : objectOrNull(body['content']);
    if (content === null) throw fieldErrors.invalid('content');
    if (content['type'] === 'template') throw fieldErrors.noWord('content.type', CONTENT_TYPES);
    const address = isUserId(to) ? { recipient: to } : { to };
    const read = readSessionMessage({ ...content, messaging_product: 'chat', to: undefined, ...address });
    if ('fault' in read) throw read.fault.error();
    return { channel: 'session', message: read.message };
  },
};

function textOf(value: unknown): string {
  const read = readText(value);
  if (read.kind === 'empty') throw fieldErrors.required('text');
  if (read.kind !== 'text') throw fieldErrors.invalid('text');
  return read.value;
}

const REF = /^\P{Cc}+$/u;

/** Whether a value holds a number that JSON rounds. */
function isRounded(value: unknown): boolean {
  if (refusedDigits(value) !== null) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(isRounded);
}

function readTags({ client_ref: ref, metadata }: Body): Common['tags'] {
  const read = readText(ref);
  const clientRef = read.kind === 'text' ? read.value.trim() : null;
  const isRef = clientRef === null || (clientRef.length <= LONGEST_REF && REF.test(clientRef));
  if (read.kind === 'fault' || !isRef) throw messageErrors.clientRef();
  const isMetadata = metadata !== undefined && metadata !== null;
  const object = isMetadata ? objectOrNull(metadata) : null;
  if (isMetadata && !object) throw messageErrors.metadata();
  if (object && isRounded(object)) throw messageErrors.metadataRounded();
  if (object && Buffer.byteLength(JSON.stringify(object)) > MOST_METADATA) throw messageErrors.metadataTooLarge();
  return { ...(clientRef !== null && { client_ref: clientRef }), ...(object && { metadata: object }) };
}
