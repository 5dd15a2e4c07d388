/**
 * How client input is read where a text is due (reference/requests#values): a number that JSON holds is taken as its text;
 * missing, null, '' and white space only are empty; anything else is at fault.
 */
export type ReadText = { kind: 'text'; value: string } | { kind: 'empty' } | { kind: 'fault' };

/** False for a number that may be another one than was written: from 2^53 on whole numbers are rounded. */
export const isHeld = (value: number): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);

export function readText(value: unknown): ReadText {
  if (value === undefined || value === null) return { kind: 'empty' };
  if (typeof value === 'number') return isHeld(value) ? { kind: 'text', value: String(value) } : { kind: 'fault' };
  if (typeof value !== 'string') return { kind: 'fault' };
  return value.trim() === '' ? { kind: 'empty' } : { kind: 'text', value };
}

/** The text, or null when it is empty or at fault. */
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

/** Most bytes of what a client may have stored as JSON text, whole as it came (reference/requests#values). */
export const LARGEST_JSON = 64 * 1024;

/** Whether a value that came as JSON is too large to be stored. */
export const isTooLargeJson = (value: unknown): boolean =>
  value !== undefined && Buffer.byteLength(JSON.stringify(value)) > LARGEST_JSON;

/** Whether a text is empty, or white space only. Mostly one look at its first character tells. */
export const isBlank = (text: string): boolean => !isVisible(text.charCodeAt(0)) && text.trim() === '';

/** Whether a character of ASCII, by its code, is no white space and no control. */
export const isVisible = (code: number): boolean => code > 0x20 && code < 0x7f;

/** A text literally, for LIKE. */
export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** What begins with a text, for LIKE: a range of an index. */
export const likePrefix = (text: string): string => `${likeLiteral(text)}%`;

/** How the beginning of a name may be written, where the index compares bytes: as typed, `anna`, `Anna` and `ANNA`. */
export function spellings(text: string): string[] {
  const lower = text.toLowerCase();
  const [first = '', ...rest] = lower;
  return [...new Set([text, lower, first.toUpperCase() + rest.join(''), text.toUpperCase()])];
}

/** What a spreadsheet would take for the start of a formula; some take the full-width signs for the plain ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const TO_BE_QUOTED = /[",\r\n]/;

/** Ends a line of a CSV file. */
export const CSV_LINE_END = '\r\n';

/** A field after RFC 4180; an apostrophe before it keeps spreadsheets from calculating what a carrier or a callee wrote. */
export function csvField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return TO_BE_QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of a CSV file. */
export const csvLine = (values: readonly (string | number | null | undefined)[]): string =>
  values.map(csvField).join(',') + CSV_LINE_END;
