import { isUserId, digitsOf, readRecipient } from '../../kernel/contacts.js';
import { type ClockChange, nextTimeOfDay } from '../../kernel/clock.js';
import { type DocumentedError, invalid, fieldErrors } from '../../kernel/errors.js';
import { codePoints, cutCodePoints, isTooLargeJson, readText, textOrNull } from '../../kernel/text.js';
import { isHttpUrl } from '../../kernel/urls.js';
import { contentTooLarge, type MessageContent, recipientErrors, type SessionMessage } from './session-message.js';

export type V5Body = Readonly<Record<string, unknown>>;

/** Characters of an id or a title (reference/session-messages#v5-paths). */
const LONGEST_TITLE = 20;

/** Faults of a v5 body beside those of any field (reference/session-messages#v5-errors). */
const v5Faults = {
  service: invalid(
    'service',
    fieldErrors.mustBe.shown('brodcast_service', 'chat_credits').text,
    'given and something else',
  ).with({ field: 'brodcast_service' }),
  together: invalid('list_and_buttons', 'list and buttons cannot be sent together', 'both given').with({
    field: 'list',
    hint: 'Send two messages.',
  }),
  count: invalid('field_count', (name: string, most: number) => `${name} must be between 1 and ${most}`).with({
    field: (name: string) => name,
  }),
};

/** Whether the field has any value, valid or not. */
const given = (body: V5Body, name: string): boolean => readText(body[name]).kind !== 'empty';

/** @throws AppError `<name> is required` for a missing value or one that is no text */
function requiredText(body: V5Body, name: string): string {
  const text = textOrNull(body[name]);
  if (text === null) throw fieldErrors.required(name);
  return text;
}

/** @throws AppError `<name> is invalid` for a value that is no text */
function optionalText(body: V5Body, name: string): string | null {
  const read = readText(body[name]);
  if (read.kind === 'fault') throw fieldErrors.invalid(name);
  return read.kind === 'text' ? read.value : null;
}

function requiredTitle(body: V5Body, name: string): string {
  const text = requiredText(body, name);
  if (codePoints(text) > LONGEST_TITLE) throw fieldErrors.tooLong(name, LONGEST_TITLE);
  return text;
}

function countOf(body: V5Body, name: string, most: number): number {
  const text = textOrNull(body[name])?.trim() ?? '';
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most) throw v5Faults.count(name, most);
  return count;
}

/** A required http(s) URL; it is passed on, never fetched here. */
function requiredUrl(body: V5Body, name: string): string {
  const url = requiredText(body, name).trim();
  if (!isHttpUrl(url)) throw fieldErrors.noUrl(name);
  return url;
}

const MOST = { options: 10, replies: 3, actions: 2 };
const REPLY_VALUES = ['button1_value', 'button2_value', 'button3_value'];
const ACTION_FIELDS = ['call_title', 'call_number', 'url_title', 'url_value'];
const CALL_NUMBER = /^\d{3,20}$/;

/** A list, else reply buttons, else call and URL buttons, else an image, else text (reference/session-messages#v5-content). */
export function v5Content(body: V5Body): MessageContent {
  if (given(body, 'list')) {
    if (given(body, 'buttons')) throw v5Faults.together();
    return listMessage(body);
  }
  const hasActions = ACTION_FIELDS.some((name) => given(body, name));
  // `buttons` counts call and URL buttons too; the values of reply buttons are then blank.
  const hasReplies = given(body, 'buttons') && (!hasActions || REPLY_VALUES.some((name) => given(body, name)));
  if (hasReplies) return replyMessage(body);
  if (hasActions) return actionMessage(body);
  return given(body, 'uploaded_image1')
    ? imageMessage(body)
    : textMessage([requiredText(body, 'broadcast_message')], body);
}

function interactive(body: V5Body, type: string, text: string, action: Record<string, unknown>): MessageContent {
  const footer = optionalText(body, 'footer');
  return {
    type: 'interactive',
    interactive: { type, body: { text }, ...(footer !== null && { footer: { text: footer } }), action },
  };
}

function listMessage(body: V5Body): MessageContent {
  const count = countOf(body, 'list', MOST.options);
  const button = requiredTitle(body, 'button_name');
  const section = optionalText(body, 'section_name');
  const rows = Array.from({ length: count }, (_, index) => ({
    id: requiredTitle(body, `id${index + 1}`),
    title: requiredTitle(body, `title${index + 1}`),
  }));
  const sections = [{ ...(section !== null && { title: section }), rows }];
  return interactive(body, 'list', requiredText(body, 'broadcast_message'), { button, sections });
}

function replyMessage(body: V5Body): MessageContent {
  const count = countOf(body, 'buttons', MOST.replies);
  const buttons = REPLY_VALUES.slice(0, count).map((name, index) => ({
    type: 'reply',
    reply: { id: `button${index + 1}`, title: requiredTitle(body, name) },
  }));
  return interactive(body, 'button', requiredText(body, 'broadcast_message'), { buttons });
}

/** The provider's free-form messages have URL buttons but no call buttons: a call becomes a line of the body. */
function actionMessage(body: V5Body): MessageContent {
  const named = (['call', 'url'] as const).filter((kind) => given(body, `${kind}_title`) || hasTarget(body, kind));
  const count = given(body, 'buttons') ? countOf(body, 'buttons', MOST.actions) : named.length;
  if (count > named.length) throw fieldErrors.required(named.includes('call') ? 'url_title' : 'call_title');
  const wanted = named.slice(0, count);
  const call = wanted.includes('call') ? callLine(body) : null;
  const message = call === null ? requiredText(body, 'broadcast_message') : optionalText(body, 'broadcast_message');
  const lines = [message, call].filter((line) => line !== null);
  if (!wanted.includes('url')) return textMessage(lines, body);
  const parameters = { display_text: requiredTitle(body, 'url_title'), url: requiredUrl(body, 'url_value') };
  return interactive(body, 'cta_url', lines.join('\n'), { name: 'cta_url', parameters });
}

const hasTarget = (body: V5Body, kind: 'call' | 'url'): boolean =>
  given(body, kind === 'call' ? 'call_number' : 'url_value');

function callLine(body: V5Body): string {
  const title = requiredTitle(body, 'call_title');
  const number = digitsOf(requiredText(body, 'call_number'));
  if (!CALL_NUMBER.test(number)) throw fieldErrors.invalid('call_number');
  return `${title}: +${number}`;
}

/** The provider's free-form images and texts have no footer: it becomes the last line. */
function withFooter(lines: readonly (string | null)[], body: V5Body): string {
  return [...lines, optionalText(body, 'footer')].filter((line) => line !== null).join('\n');
}

function imageMessage(body: V5Body): MessageContent {
  const link = requiredUrl(body, 'uploaded_image1');
  const caption = withFooter([optionalText(body, 'broadcast_message')], body);
  return {
    type: 'image',
    image: { link, ...(caption !== '' && { caption }) },
  };
}

const textMessage = (lines: readonly string[], body: V5Body): MessageContent => ({
  type: 'text',
  text: { body: withFooter(lines, body) },
});

/** Errors of the content, in the order of validation; one field stands for its like. */
const V5_CONTENT_ERRORS: readonly DocumentedError[] = [
  v5Faults.together,
  v5Faults.count.shown('list', MOST.options).because('number of options'),
  v5Faults.count.shown('buttons', MOST.replies).because('number of reply buttons'),
  v5Faults.count.shown('buttons', MOST.actions).because('number of call and URL buttons'),
  fieldErrors.required.shown('id1').because('an entry within the count is missing (each its name)'),
  fieldErrors.tooLong.shown('title1', LONGEST_TITLE).because('an id or title is too long (each its name)'),
  fieldErrors.noUrl.shown('uploaded_image1').because('not http(s); `url_value` alike'),
  fieldErrors.invalid.shown('call_number').because('not 3 to 20 digits'),
  fieldErrors.required.shown('broadcast_message').because('empty'),
  fieldErrors.invalid.shown('footer').because('no text; `section_name` and `broadcast_name` alike'),
];

export interface V5Session extends SessionMessage {
  /** broadcast_name, cut at 100 characters */
  label: string | null;
  scheduledAt: Date | null;
  /** of the schedule's day, if it affects the time */
  clockChange: ClockChange | null;
}

const SERVICE = 'chat_credits';
const LABEL_LENGTH = 100;

const v5RecipientErrors = {
  invalid: recipientErrors.invalid.with({ field: 'contacts' }),
  length: recipientErrors.length.with({ field: 'contacts' }),
};

/** Reads a v5 request (reference/session-messages#v5-errors). @param zone IANA zone of its schedule @throws AppError invalid */
export function readV5Session(body: V5Body, zone: string, at: Date): V5Session {
  if (given(body, 'brodcast_service') && body['brodcast_service'] !== SERVICE) throw v5Faults.service();
  const to = recipientOf(body);
  const schedule = scheduleOf(body, zone, at);
  return {
    to,
    scheduledAt: schedule?.at ?? null,
    clockChange: schedule?.change ?? null,
    content: contentOf(body),
    label: labelOf(body),
  };
}

function contentOf(body: V5Body): MessageContent {
  const content = v5Content(body);
  if (isTooLargeJson(content)) throw contentTooLarge();
  return content;
}

/** `recipient` is our addition; it counts when there is no number. */
function recipientOf(body: V5Body): string {
  const userId = given(body, 'contacts') ? null : optionalText(body, 'recipient');
  if (userId !== null) {
    if (!isUserId(userId.trim())) throw recipientErrors.userId();
    return userId.trim();
  }
  requiredText(body, 'contacts');
  const read = readRecipient(body['contacts']);
  if ('fault' in read) throw v5RecipientErrors[read.fault]();
  return read.digits;
}

function scheduleOf(body: V5Body, zone: string, at: Date): ReturnType<typeof nextTimeOfDay> {
  const text = optionalText(body, 'schedule_time');
  if (text === null) return null;
  const moment = nextTimeOfDay(text.trim(), zone, at);
  if (!moment) throw fieldErrors.invalid('schedule_time');
  return moment;
}

function labelOf(body: V5Body): string | null {
  const label = optionalText(body, 'broadcast_name');
  return label === null ? null : cutCodePoints(label, LABEL_LENGTH);
}

/** Errors of the form, in the order of validation. */
export const V5_FORM_ERRORS: readonly DocumentedError[] = [
  v5Faults.service,
  fieldErrors.required.shown('contacts').because('missing, and no `recipient`'),
  v5RecipientErrors.invalid.because('invalid after cleanup, or more than one number'),
  v5RecipientErrors.length,
  recipientErrors.userId.because('no user id, and no `contacts`'),
  fieldErrors.invalid.shown('schedule_time').because('not HH:MM:SS'),
  ...V5_CONTENT_ERRORS,
  contentTooLarge.because('the whole content, as JSON'),
];
