import { cutCodePoints } from './text.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

// A number of 16 digits or with an exponent may exceed a double. Also matches within texts: see below.
const SUSPECT = /\d[\d.]{15}|\d[eE]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

// A value that no field accepts; it keeps the digits for the list of bad rows.
const noValue = (digits: string): string => `[{"":"${digits}"}]`;
// Numbers beyond this count lose their digits: otherwise a body of such numbers would become much longer.
const MOST_KEPT = 1_000;
const WITHOUT_DIGITS = '[{}]';

/** Replaces each number that `JSON.parse` would round to another whole number or infinity by a value that no field accepts. */
export function refuseInexact(text: string): string {
  let kept = 0;
  return rewrite(text, (number) => (kept++ < MOST_KEPT ? noValue(number) : WITHOUT_DIGITS));
}

export function refuseInexactIn(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const refusing = refuseInexact(text);
  return refusing === text ? bytes : Buffer.from(refusing, 'latin1');
}

/** The digits of a number that `refuseInexact` replaced; null for any other value. */
export function refusedDigits(value: unknown): string | null {
  if (!Array.isArray(value) || value.length !== 1) return null;
  const digits: unknown = (value[0] as { '': unknown } | null)?.[''];
  return typeof digits === 'string' ? digits : null;
}

/** Makes texts of inexact numbers in answers of carriers and providers. */
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

// Whether a number is whole once its exponent is applied.
function isWhole(number: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = whole + fraction;
  let last = digits.length;
  while (last > 0 && digits.charCodeAt(last - 1) === ZERO) last -= 1;
  return last === 0 || last <= whole.length + Number(exponent);
}

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOrNull = (value: unknown): JsonObject | null => (isObject(value) ? value : null);

export const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Parses a JSON object; null for other text. Inexact numbers become texts of their digits, because ids need all digits. */
export function readJsonObject(text: string): JsonObject | null {
  try {
    return objectOrNull(JSON.parse(keepInexact(text)));
  } catch {
    return null;
  }
}

/** Nesting depth of objects and lists; 0 for other values. */
export function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth++) {
    level = level.filter((each) => typeof each === 'object' && each !== null);
    if (level.length === 0) return depth;
    level = level.flatMap((each) => Object.values(each as object) as unknown[]);
  }
}

export interface FieldTest {
  /** decides by name, length and first character, so that the text need not be made; false = call `value` */
  text: (name: string, length: number, first: number) => boolean;
  value: (name: string, value: unknown) => boolean;
}

const SHOWN = 64;

/** A value given as a number, for the list of bad rows: cut if long, the digits of a number that JSON would round. */
export function shownValue(value: unknown): string {
  const digits = refusedDigits(value);
  if (digits !== null) return cutCodePoints(digits, SHOWN);
  if (Array.isArray(value)) return '[array]';
  return typeof value === 'object' && value !== null ? '[object]' : cutCodePoints(String(value), SHOWN);
}
