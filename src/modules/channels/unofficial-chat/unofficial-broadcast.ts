import { codePoints, readText, textOrNull } from '../../../kernel/text.js';
import { isHttpUrl } from '../../../kernel/web-url.js';
import { type Broadcast, type BroadcastRefusal, type RawBroadcast, readBroadcast } from '../broadcasts/index.js';

/** Attachments in the order in which they leave, after the text. */
export const ATTACHMENTS = ['img1', 'img2', 'document'] as const;
export type AttachmentField = (typeof ATTACHMENTS)[number];

/** An unofficial broadcast as a client wrote it; every value may be of any type. */
export type RawUnofficialBroadcast = RawBroadcast & Partial<Record<AttachmentField | 'media_with_caption', unknown>>;

/** An unofficial broadcast that passed every row of the error table. */
export interface UnofficialBroadcast extends Broadcast {
  /** http(s) URLs, handed on and never fetched by us */
  attachments: Partial<Record<AttachmentField, string>>;
  /** stored; attachments are separate items all the same (reference/unofficial-chat#items) */
  mediaWithCaption: boolean;
}

const LONGEST_MESSAGE = 1500;
const LONGEST_URL = 2048;
const TRUE_WORDS: readonly unknown[] = [true, 'true', 1, '1'];

/** True beyond 1500 code points (reference/unofficial-chat#addbroadcastunofficialphp). */
export const isTooLong = (message: string): boolean => codePoints(message) > LONGEST_MESSAGE;

/** @returns the URL, null when none was given, or undefined when it is none */
function readUrl(value: unknown): string | null | undefined {
  if (readText(value).kind === 'empty') return null;
  const url = textOrNull(value)?.trim() ?? '';
  return url.length <= LONGEST_URL && isHttpUrl(url) ? url : undefined;
}

/** The attachments of a request. @returns them, or the first that is no URL */
export function readAttachments(
  raw: Partial<Record<AttachmentField | 'media_with_caption', unknown>>,
): Pick<UnofficialBroadcast, 'attachments' | 'mediaWithCaption'> | { fault: AttachmentField } {
  const attachments: UnofficialBroadcast['attachments'] = {};
  for (const field of ATTACHMENTS) {
    const url = readUrl(raw[field]);
    if (url === undefined) return { fault: field };
    if (url !== null) attachments[field] = url;
  }
  return { attachments, mediaWithCaption: TRUE_WORDS.includes(raw.media_with_caption) };
}

/**
 * Reads an unofficial broadcast and judges it by the error table (reference/unofficial-chat#addbroadcastunofficialphp).
 * @returns the broadcast, or the first row of the table that applies
 */
export function readUnofficialBroadcast(
  raw: RawUnofficialBroadcast,
): { broadcast: UnofficialBroadcast } | BroadcastRefusal<AttachmentField> {
  const said = readAttachments(raw);
  const read = readBroadcast<AttachmentField>(raw, {
    tooLong: isTooLong,
    ownRows: 'fault' in said ? [{ fault: said.fault, applies: true }] : [],
  });
  if ('fault' in read) return read;
  if ('fault' in said) return said;
  return { broadcast: { ...read.broadcast, ...said } };
}
