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
