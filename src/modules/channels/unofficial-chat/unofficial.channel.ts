import { now } from '../../../kernel/clock.js';
import { type DefinedError, invalid, fieldErrors } from '../../../kernel/errors.js';
import { newRequestId } from '../../../kernel/ids.js';
import { codePoints, readText, textOrNull } from '../../../kernel/text.js';
import { isHttpUrl } from '../../../kernel/urls.js';
import { type Channel, type Content, type Price } from '../../engine/index.js';
import {
  type BroadcastRequest,
  broadcastErrors,
  type BroadcastRefusal,
  type RawBroadcast,
  readBroadcast,
  readBroadcastContact,
} from '../broadcasts/index.js';
import { CHAT_EVENT, CHAT_STATUS_LABELS, chatQuote } from '../chat/index.js';
import { messageOf, missingOf, pricedMessageOf } from '../personalised/index.js';

/** In sending order, after the text. */
const ATTACHMENTS = ['img1', 'img2', 'document'] as const;
type AttachmentField = (typeof ATTACHMENTS)[number];

export type UnofficialBroadcastFields = RawBroadcast & Partial<Record<AttachmentField | 'media_with_caption', unknown>>;

/** An unofficial broadcast that passed its error table. */
export interface UnofficialBroadcastRequest extends BroadcastRequest {
  /** http(s) URLs, forwarded and never fetched by us */
  attachments: Partial<Record<AttachmentField, string>>;
  /** stored only: attachments are separate items anyway (reference/unofficial-chat#items) */
  mediaWithCaption: boolean;
}

const LONGEST_MESSAGE = 1500;
const LONGEST_URL = 2048;
const TRUE_WORDS: readonly unknown[] = [true, 'true', 1, '1'];

/** True beyond 1500 code points (reference/unofficial-chat#addbroadcastunofficialphp). */
const isTooLong = (message: string): boolean => codePoints(message) > LONGEST_MESSAGE;

/** @returns the URL, null when none is given, undefined when it is invalid */
function readUrl(value: unknown): string | null | undefined {
  if (readText(value).kind === 'empty') return null;
  const url = textOrNull(value)?.trim() ?? '';
  return url.length <= LONGEST_URL && isHttpUrl(url) ? url : undefined;
}

/** The attachments of a request, or the first field that is no URL. */
export function readAttachments(
  body: Partial<Record<AttachmentField | 'media_with_caption', unknown>>,
): Pick<UnofficialBroadcastRequest, 'attachments' | 'mediaWithCaption'> | { fault: AttachmentField } {
  const attachments: UnofficialBroadcastRequest['attachments'] = {};
  for (const field of ATTACHMENTS) {
    const url = readUrl(body[field]);
    if (url === undefined) return { fault: field };
    if (url !== null) attachments[field] = url;
  }
  return { attachments, mediaWithCaption: TRUE_WORDS.includes(body.media_with_caption) };
}

/** Validates an unofficial broadcast by its error table. @returns it, or the first row that applies */
export function readUnofficialBroadcastRequest(
  body: UnofficialBroadcastFields,
): { request: UnofficialBroadcastRequest } | BroadcastRefusal<AttachmentField> {
  const said = readAttachments(body);
  const read = readBroadcast<AttachmentField>(body, {
    tooLong: isTooLong,
    ownRows: 'fault' in said ? [{ fault: said.fault, applies: true }] : [],
  });
  if ('fault' in read) return read;
  if ('fault' in said) return said;
  return { request: { ...read.request, ...said } };
}

/** Per contact, whatever the length and the attachments (reference/unofficial-chat#price). */
const PRICE: Price = { balance: 'bulk_chat_credits', unitCredits: 1 };

const attachmentsOf = (content: Content): string[] =>
  ATTACHMENTS.flatMap((field) => (typeof content[field] === 'string' ? [content[field]] : []));

/** Unofficial chat: the text, then each attachment as its own item (reference/unofficial-chat#items). */
export const unofficialChannel: Channel<'unofficial'> = {
  name: 'unofficial',
  title: 'unofficial chat',
  routes: 'unofficial',
  event: CHAT_EVENT,
  campaignStatus: { accepted: 'Processing', sending: 'Processing' },
  statusLabels: CHAT_STATUS_LABELS,
  newRequestId: (zone, { UNOFFICIAL_PREFIX, CELL: cell }) =>
    newRequestId(UNOFFICIAL_PREFIX, 6, { at: now(), zone, cell }),
  readRecipient: readBroadcastContact,
  duplicates: 'charged',
  price: (content, addressee) => {
    if (isTooLong(pricedMessageOf(content, addressee))) throw broadcastErrors.tooLong();
    return PRICE;
  },
  missing: missingOf,
  quote: async (_services, _accountId, message) => {
    if (isTooLong(message)) throw broadcastErrors.tooLong();
    return chatQuote(message, PRICE);
  },
  outline: (content) => ({ text: String(content['message']), attachments: attachmentsOf(content) }),
  compose: (content, addressee) => ({ text: messageOf(content, addressee), attachments: attachmentsOf(content) }),
};

const notAUrl = (field: AttachmentField): DefinedError =>
  invalid(`${field}_url`, fieldErrors.noUrl.shown(field).text, 'given, and no http or https URL').with({
    field,
    hint: 'Give an address that begins with http:// or https://, of 2048 characters at most.',
  });

export const attachmentErrors = {
  img1: notAUrl('img1'),
  img2: notAUrl('img2'),
  document: notAUrl('document'),
} satisfies Record<AttachmentField, DefinedError>;

/** Errors of the unofficial broadcast, literally (reference/unofficial-chat#addbroadcastunofficialphp). */
export const unofficialErrors = {
  ...broadcastErrors,
  tooLong: broadcastErrors.tooLong.because('over 1500 characters'),
  ...attachmentErrors,
};
