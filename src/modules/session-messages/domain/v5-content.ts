import type { DocumentedError } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { digitsOf } from '../../../kernel/phone-number.js';
import type { MessageContent } from './session-message.js';
import {
  countOf,
  given,
  optionalText,
  requiredText,
  requiredTitle,
  requiredUrl,
  type V5Body,
  LONGEST_TITLE,
  v5Faults,
} from './v5-fields.js';

const MOST = { options: 10, replies: 3, actions: 2 };
const REPLY_VALUES = ['button1_value', 'button2_value', 'button3_value'];
const ACTION_FIELDS = ['call_title', 'call_number', 'url_title', 'url_value'];
const CALL_NUMBER = /^\d{3,20}$/;

/**
 * What a v5 request says (reference/session-messages#v5-content): a list, else reply buttons, else call and URL
 * buttons, else an image with its caption, else text. Entries beyond the count are ignored.
 * @throws AppError `invalid` for the first thing that is missing or wrong
 */
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

/**
 * The URL button is the upstream's; a call button, which free-form messages do not have there, becomes a line of the
 * body. Without a URL button the message is plain text.
 */
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

/** Free-form pictures and texts have no footer upstream: it is the last line. */
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

/** What the content may be refused for, in the order in which it is judged; one field stands for its like. */
export const V5_CONTENT_ERRORS: readonly DocumentedError[] = [
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
