import { cutCodePoints } from './text.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** A number of 16 digits may be more than a double holds, and so may one with an exponent. Also within texts: see below. */
const SUSPECT = /\d[\d.]{15}|\d[eE]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** What no field takes: neither a text, a number, true or false, nor an object, nor a list of any of them. Its digits stand within. */
const noValue = (digits: string): string => `[{"":"${digits}"}]`;
/** More of them than a list of bad rows names have no digits: a body of nothing else would become a much longer one. */
const MOST_KEPT = 1_000;
const WITHOUT_DIGITS = '[{}]';

/**
 * JSON text for `JSON.parse`, which rounds: 9007199254740993 becomes 9007199254740992, and two ids become one. Each number
 * that would be rounded to another whole number, or to infinity, is replaced by a value that no field takes, so a field is
 * refused with its own words, and what no field reads does not matter. Other text, and what is no JSON, stays as it is.
 */
export function refuseInexact(text: string): string {
  let kept = 0;
  return rewrite(text, (number) => (kept++ < MOST_KEPT ? noValue(number) : WITHOUT_DIGITS));
}

/** The same of the bytes of a text in UTF-8. */
export function refuseInexactIn(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const refusing = refuseInexact(text);
  return refusing === text ? bytes : Buffer.from(refusing, 'latin1');
}

/** The digits of a number that `refuseInexact` has replaced; null for any other value. */
export function refusedDigits(value: unknown): string | null {
  if (!Array.isArray(value) || value.length !== 1) return null;
  const digits: unknown = (value[0] as { '': unknown } | null)?.[''];
  return typeof digits === 'string' ? digits : null;
}

/** The same for what carriers and providers say: each such number becomes a text of its digits. */
export const keepInexact = (text: string): string => rewrite(text, (number) => `"${number}"`);

function rewrite(text: string, write: (number: string) => string): string {
  if (!SUSPECT.test(text)) return text;
  let written = '';
  let from = 0;
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfText(text, at);
    else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      const number = numberAt(text, at);
      if (number !== null && isInexact(number)) {
        written += text.slice(from, at) + write(number);
        from = at + number.length;
      }
      at += number?.length ?? 1;
    } else at += 1;
  }
  return written + text.slice(from);
}

/** @returns the place behind its closing quote; the end of the text without one */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}

function numberAt(text: string, at: number): string | null {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? null;
}

function isInexact(number: string): boolean {
  const value = Number(number);
  if (!Number.isInteger(value)) return !Number.isFinite(value);
  return !Number.isSafeInteger(value) || !isWhole(number);
}

/** Whether a number has no digits behind its point, once its exponent is counted in. */
function isWhole(number: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = whole + fraction;
  let last = digits.length;
  while (last > 0 && digits.charCodeAt(last - 1) === ZERO) last -= 1;
  return last === 0 || last <= whole.length + Number(exponent);
}

/** An object as JSON has it: names and values of any type. */
export type JsonObject = Record<string, unknown>;

/** True for an object, and for neither an array nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or null when the value is none. */
export const objectOrNull = (value: unknown): JsonObject | null => (isObject(value) ? value : null);

/** The object, or one without fields when the value is none. */
export const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The object that a text is as JSON, or null. Numbers that JSON would round are texts of their digits: ids of others. */
export function readJsonObject(text: string): JsonObject | null {
  try {
    return objectOrNull(JSON.parse(keepInexact(text)));
  } catch {
    return null;
  }
}

/** Objects and lists one within the other; 0 = it is neither. */
export function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth++) {
    level = level.filter((each) => typeof each === 'object' && each !== null);
    if (level.length === 0) return depth;
    level = level.flatMap((each) => Object.values(each as object) as unknown[]);
  }
}

/** What fields have to be. */
export interface FieldTest {
  /** Whether a text passes, as far as its name, its length and its first character say so: it need not be made for that. */
  text: (name: string, length: number, first: number) => boolean;
  /** asked of what is no text, or has not passed by then */
  value: (name: string, value: unknown) => boolean;
}

const SHOWN = 64;

/** What a client gave where a number was due, for a list of bad rows: of a long one the start, of a number too large for JSON its digits. */
export function shownValue(value: unknown): string {
  const digits = refusedDigits(value);
  if (digits !== null) return cutCodePoints(digits, SHOWN);
  if (Array.isArray(value)) return '[array]';
  return typeof value === 'object' && value !== null ? '[object]' : cutCodePoints(String(value), SHOWN);
}
