import { decodeGsm } from '../../kernel/gsm-alphabet.js';
import { decodeGsmIn, type GsmLanguage } from '../../kernel/gsm-languages.js';
import { Command, HEADER_LENGTH } from './pdu.js';

/** Type of number of an address (SMPP 3.4 §5.2.5). */
export const TypeOfNumber = { Unknown: 0, International: 1, National: 2, Alphanumeric: 5 } as const;

/** Where a part belongs; parts of one message have the same `reference`, which is unique for a short time per sender. */
export interface TextPart {
  reference: string;
  /** from 1 */
  number: number;
  total: number;
}

/** A text of a handset as a carrier delivers it, before its parts are put together. */
export interface HandsetText {
  sourceAddr: string;
  sourceTon: number;
  destinationAddr: string;
  dataCoding: number;
  /** without user data header; a copy */
  body: Buffer;
  /** null = a message of one part */
  part: TextPart | null;
  /** absent = the default tables of GSM 03.38 */
  language?: GsmLanguage;
}

const UDH_INDICATOR = 0x40;
const MESSAGE_PAYLOAD = 0x0424;
const SAR_REFERENCE = 0x020c;
const SAR_TOTAL = 0x020e;
const SAR_NUMBER = 0x020f;
const IE_PARTS_8 = 0x00;
const IE_PARTS_16 = 0x08;
const IE_SINGLE_SHIFT = 0x24;
const IE_LOCKING_SHIFT = 0x25;

/** Decodes a deliver_sm or data_sm of a handset. @returns null when its fields exceed its length */
export function readHandsetText(bytes: Buffer, start: number, end: number): HandsetText | null {
  const isData = bytes.readUInt32BE(start + 4) === Command.DataSm;
  const reader = new FieldReader(bytes, start + HEADER_LENGTH, end);
  reader.skipText();
  const [sourceTon] = [reader.byte(), reader.byte()];
  const sourceAddr = reader.text();
  reader.skip(2);
  const destinationAddr = reader.text();
  const esmClass = reader.byte();
  let body: Buffer = Buffer.alloc(0);
  let dataCoding: number;
  if (isData) {
    reader.skip(1);
    dataCoding = reader.byte();
  } else {
    reader.skip(2);
    reader.skipText();
    reader.skipText();
    reader.skip(2);
    dataCoding = reader.byte();
    reader.skip(1);
    body = reader.bytesOf(reader.byte());
  }
  const sar = new Map<number, number>();
  while (reader.left >= 4) {
    const tag = reader.word();
    const value = reader.bytesOf(reader.word());
    if (tag === MESSAGE_PAYLOAD && body.length === 0) body = value;
    else if (tag === SAR_REFERENCE && value.length === 2) sar.set(tag, value.readUInt16BE(0));
    else if ((tag === SAR_TOTAL || tag === SAR_NUMBER) && value.length === 1) sar.set(tag, value.readUInt8(0));
  }
  if (reader.isOver) return null;
  const hasHeader = (esmClass & UDH_INDICATOR) !== 0 && body.length > 0;
  const headerEnd = hasHeader ? Math.min((body[0] as number) + 1, body.length) : 0;
  const [reference, number = 0, total = 0] = [SAR_REFERENCE, SAR_NUMBER, SAR_TOTAL].map((tag) => sar.get(tag));
  const header = elementsOf(body.subarray(1, headerEnd));
  const [locking = 0, single = 0] = [IE_LOCKING_SHIFT, IE_SINGLE_SHIFT].map((id) => header.get(id)?.[0]);
  const part = partOf(header) ?? (reference === undefined ? null : { reference, number, total });
  return {
    ...{ sourceAddr, sourceTon, destinationAddr, dataCoding },
    body: Buffer.from(body.subarray(headerEnd)),
    part: part && isPart(part) ? { ...part, reference: `${part.reference}/${part.total}` } : null,
    ...(locking + single > 0 && { language: { locking, single } }),
  };
}

type NumberedPart = Omit<TextPart, 'reference'> & { reference: number };

const isPart = ({ number, total }: NumberedPart): boolean => total > 1 && number >= 1 && number <= total;

/** Elements of a user data header by identifier (3GPP TS 23.040): of equal ones the last. @param header without its length */
function elementsOf(header: Buffer): ReadonlyMap<number, Buffer> {
  const elements = new Map<number, Buffer>();
  for (let at = 0; at + 2 <= header.length;) {
    const length = header[at + 1] as number;
    elements.set(header[at] as number, header.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return elements;
}

function partOf(header: ReadonlyMap<number, Buffer>): NumberedPart | null {
  const [short, long] = [header.get(IE_PARTS_8), header.get(IE_PARTS_16)];
  if (short?.length === 3)
    return { reference: short[0] as number, total: short[1] as number, number: short[2] as number };
  if (long?.length !== 4) return null;
  return { reference: 0x10000 + long.readUInt16BE(0), total: long[2] as number, number: long[3] as number };
}

/** Reads fields one after another; past the end it reads nothing, and `isOver` says so. */
class FieldReader {
  isOver = false;

  constructor(
    private readonly bytes: Buffer,
    private at: number,
    private readonly end: number,
  ) {}

  get left(): number {
    return this.end - this.at;
  }

  bytesOf(length: number): Buffer {
    if (length > this.left) this.isOver = true;
    const from = this.at;
    this.at = Math.min(from + length, this.end);
    return this.bytes.subarray(from, this.at);
  }

  skip(length: number): void {
    this.bytesOf(length);
  }

  byte(): number {
    return this.bytesOf(1)[0] ?? 0;
  }

  word(): number {
    return this.byte() * 256 + this.byte();
  }

  text(): string {
    const zero = this.bytes.indexOf(0, this.at);
    const isOpen = zero < 0 || zero >= this.end;
    const text = this.bytesOf((isOpen ? this.end : zero) - this.at).toString('latin1');
    this.skip(1);
    return text;
  }

  skipText(): void {
    this.text();
  }
}

export type TextEncoding = 'gsm7' | 'ucs2' | 'text' | 'binary';

/** data_coding values of SMPP that name a character set of their own (SMPP 3.4 §5.2.19). */
const CHARACTER_SETS: Readonly<Record<number, string>> = {
  1: 'latin1',
  3: 'latin1',
  5: 'shift_jis',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  14: 'euc-kr',
};
const UCS2 = 8;

/** The alphabet of a data_coding: SMPP's own values, else those of 3GPP TS 23.038. */
function alphabetOf(dataCoding: number): { encoding: TextEncoding; charset?: string } {
  const charset = CHARACTER_SETS[dataCoding];
  if (charset !== undefined) return { encoding: 'text', charset };
  if (dataCoding === 0) return { encoding: 'gsm7' };
  if (dataCoding === UCS2) return { encoding: 'ucs2' };
  const group = dataCoding >> 4;
  if (group === 0) return { encoding: 'binary' };
  if (group === 15) return { encoding: (dataCoding & 4) === 0 ? 'gsm7' : 'binary' };
  if (group === 14) return { encoding: 'ucs2' };
  if (group === 12 || group === 13) return { encoding: 'gsm7' };
  // Bit 5 marks a compressed text, which is not read here.
  if (group > 7 || (dataCoding & 0x20) !== 0) return { encoding: 'binary' };
  return { encoding: (['gsm7', 'binary', 'ucs2', 'binary'] as const)[(dataCoding >> 2) & 3] ?? 'binary' };
}

/** Bytes of a text with what says how to read them. */
export type CodedText = Pick<HandsetText, 'body' | 'dataCoding' | 'language'>;

const isAlike = (one: CodedText, other: CodedText): boolean =>
  one.dataCoding === other.dataCoding &&
  one.language?.locking === other.language?.locking &&
  one.language?.single === other.language?.single;

/**
 * The text of all parts in order: GSM 03.38 by its tables, UCS-2, 8-bit data as hexadecimal. Neighbours of one alphabet are
 * decoded together, since a carrier may cut within a character.
 */
export function decodeText(parts: readonly CodedText[]): { text: string; encoding: TextEncoding } {
  let text = '';
  for (let from = 0; from < parts.length;) {
    const first = parts[from] as CodedText;
    let next = from + 1;
    for (let part = parts[next]; part && isAlike(first, part); part = parts[next]) next += 1;
    text += decodeBytes({ ...first, body: Buffer.concat(parts.slice(from, next).map(({ body }) => body)) });
    from = next;
  }
  return { text, encoding: alphabetOf(parts[0]?.dataCoding ?? 0).encoding };
}

function decodeBytes({ body, dataCoding, language }: CodedText): string {
  const { encoding, charset } = alphabetOf(dataCoding);
  if (encoding === 'gsm7') return language ? decodeGsmIn(body, language) : decodeGsm(body);
  if (encoding === 'ucs2')
    return body
      .subarray(0, body.length & ~1)
      .swap16()
      .toString('utf16le');
  return encoding === 'text' ? new TextDecoder(charset).decode(body) : body.toString('hex');
}
