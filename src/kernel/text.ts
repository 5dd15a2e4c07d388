/** A text from a client (reference/requests#values): exact numbers become texts; missing, null and blank are empty. */
export type ReadText = { kind: 'text'; value: string } | { kind: 'empty' } | { kind: 'fault' };

/** False for a number that JSON may have rounded: whole numbers from 2^53 on. */
export const isHeld = (value: number): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);

export function readText(value: unknown): ReadText {
  if (value === undefined || value === null) return { kind: 'empty' };
  if (typeof value === 'number') return isHeld(value) ? { kind: 'text', value: String(value) } : { kind: 'fault' };
  if (typeof value !== 'string') return { kind: 'fault' };
  return value.trim() === '' ? { kind: 'empty' } : { kind: 'text', value };
}

/** One of the words that a field may have; null if it is empty. @throws what `refuse` makes of anything else */
export function readWord<Word extends string>(
  value: unknown,
  words: readonly Word[],
  refuse: () => Error,
): Word | null {
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const word = words.find((known) => read.kind === 'text' && read.value === known);
  if (word === undefined) throw refuse();
  return word;
}

/** The text; null if it is empty or a fault. */
export function textOrNull(value: unknown): string | null {
  const read = readText(value);
  return read.kind === 'text' ? read.value : null;
}

/** Length in Unicode code points (reference/requests#values). */
export function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++, count++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next < 0xe000) i++;
    }
  }
  return count;
}

/** The first `max` code points; never splits one. */
export const cutCodePoints = (text: string, max: number): string =>
  text.length <= max ? text : Array.from(text).slice(0, max).join('');

/** Most bytes of a stored JSON value (reference/requests#values). */
const LARGEST_JSON = 64 * 1024;

export const isTooLargeJson = (value: unknown): boolean =>
  value !== undefined && Buffer.byteLength(JSON.stringify(value)) > LARGEST_JSON;

/** Whether a text is empty or white space only; usually decided by its first character. */
export const isBlank = (text: string): boolean => !isVisible(text.charCodeAt(0)) && text.trim() === '';

/** Whether an ASCII code is neither white space nor a control character. */
export const isVisible = (code: number): boolean => code > 0x20 && code < 0x7f;

/** Escapes a text for LIKE. */
const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** LIKE pattern for a prefix: a range of an index. */
export const likePrefix = (text: string): string => `${likeLiteral(text)}%`;

/** Usual spellings of a prefix, because the index compares bytes: as typed, `anna`, `Anna` and `ANNA`. */
export function spellings(text: string): string[] {
  const lower = text.toLowerCase();
  const [first = '', ...rest] = lower;
  return [...new Set([text, lower, first.toUpperCase() + rest.join(''), text.toUpperCase()])];
}

// Spreadsheets take these for the start of a formula, some also the full-width signs.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const TO_BE_QUOTED = /[",\r\n]/;

export const CSV_LINE_END = '\r\n';

/** A CSV field (RFC 4180); a leading apostrophe stops spreadsheets from running formulas in outside text. */
export function csvField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return TO_BE_QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (values: readonly (string | number | null | undefined)[]): string =>
  values.map(csvField).join(',') + CSV_LINE_END;

/** How a text file is encoded. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Kinds of files that hold rows. */
export type FileFormat = 'csv' | 'xlsx';
