import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import type { TextEncoding } from '../../kernel/text.js';

const MARKS: readonly (readonly [encoding: TextEncoding, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
/** Enough for every mark, and for two characters of UTF-16 without one. */
const FIRST_BYTES = 4;
const LONGEST_SEQUENCE = 4;
const FIRST_BEYOND_ASCII = 0x80;
const REPLACED = '\uFFFD';

/** By its byte order mark, else by where the zeros of UTF-16 stand. */
function beginning(first: Uint8Array): { encoding: TextEncoding; mark: number } {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => first[at] === byte));
  if (marked) return { encoding: marked[0], mark: marked[1].length };
  const zeros = Array.from(first.subarray(0, FIRST_BYTES), (byte) => (byte === 0 ? '0' : 'x')).join('');
  if (zeros === 'x0x0') return { encoding: 'utf-16le', mark: 0 };
  return { encoding: zeros === '0x0x' ? 'utf-16be' : 'utf-8', mark: 0 };
}

/** Where a sequence of UTF-8 begins that the bytes do not end; their length if there is none. */
function unendedAt(bytes: Uint8Array): number {
  for (let back = 1; back < LONGEST_SEQUENCE && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < FIRST_BEYOND_ASCII) break;
    const isFirst = byte >= 0xc0;
    if (!isFirst) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < wanted ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/**
 * A text file as UTF-8 without byte order mark: UTF-8, UTF-16 in both orders, else Windows-1252. Bytes that are no UTF-8 behind
 * characters that are, and byte 0 in a text, are no text. `encoding` is valid when `read` has ended.
 */
export class TextBytes {
  encoding: TextEncoding = 'utf-8';
  private begun = false;
  private wide: TextDecoder | null = null;
  private isPlain = true;
  private tail: Uint8Array = new Uint8Array();

  /** @param noText makes the error */
  constructor(
    private readonly bytes: AsyncIterable<Uint8Array>,
    private readonly noText: () => Error,
  ) {}

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.bytes) {
      const text = this.begun ? this.decoded(chunk) : this.begin(joined(this.tail, chunk));
      if (text.length > 0) yield text;
    }
    if (!this.begun) yield this.begin(this.tail, true);
    if (this.wide) this.ofWide(this.wide);
    if (this.tail.length > 0) yield this.latin(this.tail);
  }

  /** @param isWhole a file of fewer bytes than its first ones */
  private begin(first: Uint8Array, isWhole = false): Uint8Array {
    this.begun = isWhole || first.length >= FIRST_BYTES;
    this.tail = this.begun ? new Uint8Array() : first;
    if (!this.begun) return new Uint8Array();
    const { encoding, mark } = beginning(first);
    this.encoding = encoding;
    if (encoding !== 'utf-8') this.wide = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    return this.decoded(first.subarray(mark));
  }

  private decoded(chunk: Uint8Array): Uint8Array {
    return this.wide ? this.ofWide(this.wide, chunk) : this.narrow(chunk);
  }

  private ofWide(decoder: TextDecoder, chunk?: Uint8Array): Uint8Array {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw this.noText();
    }
    if (text.includes('\0')) throw this.noText();
    return Buffer.from(text);
  }

  private narrow(chunk: Uint8Array): Uint8Array {
    if (chunk.includes(0)) throw this.noText();
    if (this.encoding === 'windows-1252') return latin1252(chunk);
    const all = joined(this.tail, chunk);
    const end = unendedAt(all);
    const text = all.subarray(0, end);
    if (!isUtf8(text)) return this.latin(all);
    this.tail = all.slice(end);
    this.isPlain &&= text.every((byte) => byte < FIRST_BEYOND_ASCII);
    return text;
  }

  /** The rest of the file is Windows-1252, unless something before was UTF-8. */
  private latin(bytes: Uint8Array): Uint8Array {
    const isMixed =
      new TextDecoder()
        .decode(bytes)
        .replaceAll(REPLACED, '')
        .search(/[^\0-\x7f]/) >= 0;
    if (!this.isPlain || isMixed) throw this.noText();
    this.encoding = 'windows-1252';
    this.tail = new Uint8Array();
    return latin1252(bytes);
  }
}

/** 0x80 to 0x9F of Windows-1252. The decoder of Node 20 takes it for ISO-8859-1. */
const OWN_SIGNS = Array.from('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ');

const latin1252 = (bytes: Uint8Array): Uint8Array => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return Buffer.from(text.replace(/[\x80-\x9F]/g, (sign) => OWN_SIGNS[sign.charCodeAt(0) - 0x80] as string));
};

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  one.length === 0 ? other : Buffer.concat([one, other]);
