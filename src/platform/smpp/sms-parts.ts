import { boundedCache } from '../concurrency/index.js';
import { encodeGsm, isGsmText } from '../../kernel/gsm-alphabet.js';

/** data_coding: the carrier's default alphabet (GSM 03.38), or UCS-2 big endian. */
export type DataCoding = 0 | 8;

export interface SmsParts {
  dataCoding: DataCoding;
  /** more than one part: the sender sets byte 3 of each part's user data header to the reference */
  concatenated: boolean;
  parts: Buffer[];
}

const GSM_ALONE = 160;
const GSM_PART = 153;
const UNICODE_ALONE = 70;
const UNICODE_PART = 67;
const MOST_PARTS = 255;
const ESCAPE = 0x1b;
const HEADER = 6;
export const REFERENCE_AT = 3;

/** Splits by GSM 03.40: 160 septets (a byte each) or 70 UTF-16 units, else 153 or 67 per part. @returns null above 255 parts */
export function splitSms(text: string): SmsParts | null {
  const gsm = isGsmText(text);
  const bytes = gsm ? encodeGsm(text) : encodeUnicode(text);
  const dataCoding = gsm ? 0 : 8;
  if (bytes.length <= (gsm ? GSM_ALONE : UNICODE_ALONE * 2)) return { dataCoding, concatenated: false, parts: [bytes] };
  const slices = gsm ? slice(bytes, GSM_PART, splitsEscape) : slice(bytes, UNICODE_PART * 2, splitsSurrogates);
  if (slices.length > MOST_PARTS) return null;
  const parts = slices.map((body, index) =>
    Buffer.concat([Buffer.of(HEADER - 1, 0x00, 0x03, 0, slices.length, index + 1), body]),
  );
  return { dataCoding, concatenated: true, parts };
}

function encodeUnicode(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

function slice(bytes: Buffer, size: number, splits: (bytes: Buffer, at: number) => number): Buffer[] {
  const slices: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    let end = Math.min(at + size, bytes.length);
    if (end < bytes.length) end -= splits(bytes, end);
    slices.push(bytes.subarray(at, end));
    at = end;
  }
  return slices;
}

/** 1 when a cut at `at` would split an escape pair. An escape is never the second byte of a pair. */
const splitsEscape = (bytes: Buffer, at: number): number => (bytes[at - 1] === ESCAPE ? 1 : 0);

/** 2 (bytes) when a cut at `at` would split a surrogate pair. */
function splitsSurrogates(bytes: Buffer, at: number): number {
  const before = bytes.readUInt16BE(at - 2);
  const after = bytes.readUInt16BE(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000 ? 2 : 0;
}

const REMEMBERED = 64;

/** Caches encoded texts, since texts of a campaign repeat. */
export class PartsCache {
  private readonly texts = boundedCache<string, { encoded: SmsParts | null }>(REMEMBERED);

  /** As {@link splitSms}. The buffers are shared: callers must not write into them. */
  of(text: string): SmsParts | null {
    let parts = this.texts.get(text);
    if (!parts) this.texts.set(text, (parts = { encoded: splitSms(text) }));
    return parts.encoded;
  }
}
