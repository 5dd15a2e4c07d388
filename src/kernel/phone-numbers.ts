import { refusedDigits } from './json-values.js';

/** What a country's numbering plan says about digits. The kernel knows no plan: `modules/numbers` brings one. */
export interface NumberPlan {
  /**
   * Digits that begin with a calling code and a zero: without the zero if it is a trunk zero, unchanged if it belongs to the
   * number (Italy). @returns null when no plan has such a number
   */
  behindCode: (digits: string) => string | null;
  /** Digits as dialled in the account's country, as international digits; null = no such number there. Absent = no country. */
  national?: ((digits: string) => string | null) | undefined;
}

/** Digits with the calling code, or why they cannot be read; the words complete a sentence that begins with `number`. */
export type NumberReading = { digits: string } | { refused: string };

/** A reader of numbers, of one account or channel. */
export type ReadNumber = (value: unknown) => NumberReading;

const FEWEST_DIGITS = 8;
const MOST_DIGITS = 15;
const LONGEST_TEXT = 200;

/** Why the strict reader refuses a number (reference/numbers#reading). */
export const NUMBER_REFUSALS = {
  missing: 'is missing',
  notText: 'is neither a text nor a whole number',
  rounded: 'is a number that JSON has rounded: write numbers as texts',
  tooLong: `is longer than ${LONGEST_TEXT} characters`,
  noDigits: 'has no digits',
  exponent: 'is in the exponent notation of a spreadsheet, which loses digits',
  decimal: 'looks like a decimal of a spreadsheet',
  date: 'looks like a date',
  address: 'looks like an IP address: write it with + if it is a number',
  several: 'holds two numbers in one cell',
  extension: 'has an extension',
  letters: 'has letters',
  scripts: 'mixes digits of several scripts',
  signs: 'has other characters than digits, + - . / ( ) and blanks',
  plus: 'has a + elsewhere than at its beginning',
  brackets: 'has brackets that do not match',
  grouping: 'has signs that do not separate groups of digits',
  trunkZero: 'has a leading zero that no country explains: write it with + and its country code',
  short: `has fewer than ${FEWEST_DIGITS} digits`,
  long: `has more than ${MOST_DIGITS} digits`,
  channel: 'is none that the channel takes',
} as const satisfies Record<string, string>;

type Refusal = keyof typeof NUMBER_REFUSALS;

/** A refused number as the fault of a row or an entry. */
export const refusedNumber = (refused: string): { reason: string; message: string } => ({
  reason: 'number_invalid',
  message: `number ${refused}`,
});

const refuse = (refusal: Refusal): { refused: string } => ({ refused: NUMBER_REFUSALS[refusal] });

/** Calling codes of ITU-T E.164 by their form: one digit, one of the two-digit codes, else three. */
const CODE =
  '(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])[0-9])';
const IS_CODE = new RegExp(`^${CODE}$`);
const ZERO_BEHIND_CODE = new RegExp(`^${CODE}0`);
/** Digits that need no further look where no country is known. */
const PLAIN = new RegExp(`^(?!${CODE}0)[1-9][0-9]{${FEWEST_DIGITS - 1},${MOST_DIGITS - 1}}$`);
const ONLY_DIGITS = /^[0-9]+$/;

/**
 * Reads a number as people and spreadsheets write it (reference/numbers#reading); what may mean another person is refused.
 * @param value a text, or a whole JSON number @param plan null = none is at hand: a zero behind a calling code is refused
 */
export function readNumber(value: unknown, plan: NumberPlan | null = null): NumberReading {
  if (typeof value === 'string') {
    if (!plan?.national && PLAIN.test(value)) return { digits: value };
    return ONLY_DIGITS.test(value) ? ofDigits(value, 'open', plan) : readWritten(value, plan);
  }
  if (value === undefined || value === null) return refuse('missing');
  if (typeof value !== 'number') return refuse(refusedDigits(value) === null ? 'notText' : 'rounded');
  if (!Number.isSafeInteger(value)) {
    const isFraction = Number.isFinite(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    return refuse(isFraction ? 'decimal' : 'rounded');
  }
  return value < 0 ? refuse('grouping') : readNumber(String(value), plan);
}

// Characters that show nothing: joiners, direction marks, byte order mark, fillers, variation selectors, control characters.
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]|(?![\t-\r\u0085])\p{Cc}/gu;
const APOSTROPHE = /^['\u2018\u2019\u201B\u02BC\u2032`\u00B4]/;

function readWritten(value: string, plan: NumberPlan | null): NumberReading {
  if (value.length > LONGEST_TEXT) return refuse('tooLong');
  const { text, scripts } = folded(value.replace(INVISIBLE, ''));
  const written = text.trim().replace(APOSTROPHE, '').trim();
  const refusal = writtenRefusal(written) ?? (scripts > 1 ? 'scripts' : null);
  return refusal ? refuse(refusal) : readGroups(written, plan);
}

const DECIMAL_DIGIT = /\p{Nd}/u;
const NOT_ASCII = /[^\0-\x7F]/;
/** Runs of digits follow each other without a gap only from here on (mathematical digits, digits of the Karen). */
const ADJACENT_RUNS = [
  { first: 0x1d7ce, last: 0x1d7ff },
  { first: 0x116d0, last: 0x116e3 },
];
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[\n\v\f\r\u0085\u2028\u2029]+/g, '\n'],
  [/[\t\p{Zs}\u2800]/gu, ' '],
  [/[\p{Pd}\u2212\u30FC\uFF70]/gu, '-'],
  [/[\u2044\u2215]/g, '/'],
  [/[\u066B\u066C\u3001]/g, ','],
];

/** A text with ASCII digits, signs and blanks for their relatives. `scripts`: of how many scripts its digits are. */
function folded(value: string): { text: string; scripts: number } {
  const zeros = new Set<number>();
  let text = '';
  for (const sign of value) {
    const point = sign.codePointAt(0) as number;
    if (point > 0x7f && DECIMAL_DIGIT.test(sign)) {
      const zero = zeroOf(point);
      zeros.add(zero);
      text += String(point - zero);
      continue;
    }
    if (point >= 0x30 && point <= 0x39) zeros.add(0x30);
    text += point > 0xff00 && point < 0xff5f ? String.fromCharCode(point - 0xfee0) : sign;
  }
  for (const [relatives, sign] of SIGNS) if (sign <= ' ' || NOT_ASCII.test(text)) text = text.replace(relatives, sign);
  return { text, scripts: zeros.size };
}

function zeroOf(point: number): number {
  const run = ADJACENT_RUNS.find(({ first, last }) => point >= first && point <= last);
  if (run) return point - ((point - run.first) % 10);
  let zero = point;
  while (point - zero < 9 && DECIMAL_DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return zero;
}

const LETTER = /\p{L}/u;
const DIGIT = /[0-9]/;
const EXPONENT = /^[^\p{L}]*[0-9.,] *[eEеЕ] *[+-]? *[0-9]{1,3}$/u;
const POWER_OF_TEN = /[xX×*·⋅] *10 *(?:\^|\*\*|[\u00B2\u00B3\u00B9\u2070-\u207B])/;
const BETWEEN_NUMBERS = /[,;|&\n+:]|\p{L}+|\/\/| [./-]+ | {2,}/u;
const FEWEST_OF_ONE = 7;
const EXTENSION = /[0-9].*(?:\p{L}+[.:=]*|#|\*) *[0-9]{1,6} *\)?$/u;
const DATE = /^(?:[0-3]?[0-9]([./-])[01]?[0-9]\1(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}([./-])[01]?[0-9]\2[0-3]?[0-9])$/;
/** Four numbers up to 255; pairs of digits are how French numbers are written (`87.12.34.56`). */
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IP_ADDRESS = new RegExp(`^(?![0-9]{2}(?:\\.[0-9]{2}){3}$)${OCTET}(?:\\.${OCTET}){3}(?:[/:][0-9]*)?$`);
const OTHER_SIGN = /[^0-9+\-./()[\] ]/;

/** What the text as a whole is, if it is no number. */
function writtenRefusal(text: string): Refusal | null {
  if (text === '') return 'missing';
  if (!DIGIT.test(text)) return LETTER.test(text) ? 'letters' : 'noDigits';
  if (EXPONENT.test(text) || POWER_OF_TEN.test(text)) return 'exponent';
  if (IP_ADDRESS.test(text)) return 'address';
  if (isDecimal(text)) return 'decimal';
  if (DATE.test(text)) return 'date';
  const parts = text.split(BETWEEN_NUMBERS).filter((part) => countOf(part) >= FEWEST_OF_ONE);
  if (parts.length > 1 || isPair(text)) return 'several';
  if (LETTER.test(text)) return EXTENSION.test(text) ? 'extension' : 'letters';
  if (OTHER_SIGN.test(text)) return EXTENSION.test(text) ? 'extension' : 'signs';
  return null;
}

const countOf = (text: string): number => text.replace(/[^0-9]/g, '').length;

/** A short or empty rest behind the last `.` or `,` is a decimal's; behind a dot also one that breaks the pattern of the others. */
function isDecimal(text: string): boolean {
  const found = /^(.*[0-9])([.,])([0-9]*)$/s.exec(text);
  if (!found) return false;
  const [, head = '', sign, tail = ''] = found;
  const isShort = tail.length <= 2 || /^0+$/.test(tail);
  if (sign === ',') return isShort && !head.includes(',');
  if (!head.includes('.')) return isShort || /^(?:[0-9]|[0-9]{8,})$/.test(head);
  const before = head.slice(head.lastIndexOf('.') + 1);
  return tail.length < 2 || (/^0+$/.test(tail) && tail.length < before.length);
}

/** `9800000012/13` and `9800000012 9800000013`: a whole number stands before the sign. */
function isPair(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash >= 0 && countOf(text.slice(0, slash)) >= FEWEST_DIGITS) return true;
  if (countOf(text) <= MOST_DIGITS) return false;
  for (const { index } of text.matchAll(/[ ./-]/g)) {
    const before = countOf(text.slice(0, index));
    const behind = countOf(text.slice(index));
    if (before >= FEWEST_DIGITS && behind >= FEWEST_DIGITS && Math.max(before, behind) <= MOST_DIGITS) return true;
  }
  return false;
}

/** A whole number in one run and a short rest: a range (`9800000012-15`), a counter or an extension, no group. */
const RUN_AND_REST = /[0-9]{8}-[0-9]{1,4}$|[0-9]{10} [0-9]{1,4}$/;
const BEFORE = /^[([]? ?\+? ?[([]? ?$/;
const WITHIN = /^(?:[ ./-]| ?[)\]][ ./-]?(?:[([] ?)?|[ ./-]?[([] ?)$/;
const BEHIND = /^ ?[)\]]?$/;
const BRACKETED = /[([] ?([0-9](?:[ ./-]?[0-9])*) ?[)\]]/g;
const LONGEST_EXTENSION = 5;

function readGroups(text: string, plan: NumberPlan | null): NumberReading {
  if (!areBalanced(text)) return refuse('brackets');
  if (text.includes('+', text.search(/[0-9]/))) return refuse('plus');
  const gaps = text.split(/[0-9]/);
  const [before = '', behind = ''] = [gaps.shift(), gaps.pop()];
  const isGrouped = BEFORE.test(before) && BEHIND.test(behind) && gaps.every((gap) => gap === '' || WITHIN.test(gap));
  const hasOneSign = new Set(text.match(/[./-]/g)).size <= 1;
  if (!isGrouped || !hasOneSign || RUN_AND_REST.test(text)) return refuse('grouping');
  const brackets = [...text.matchAll(BRACKETED)];
  const [zero, ...more] = brackets.filter(([, inside]) => inside === '0');
  if (more.length > 0) return refuse('trunkZero');
  const last = brackets.at(-1);
  if (last && last.index > 0 && last.index + last[0].length === text.length) {
    const isFirst = countOf(text.slice(0, last.index)) === 0;
    if (!isFirst && countOf(last[0]) <= LONGEST_EXTENSION) return refuse('extension');
  }
  const isInternational = before.includes('+');
  const code = zero && text.slice(0, zero.index).replace(/[^0-9]/g, '');
  const digits = text.replace(/[^0-9]/g, '');
  if (!code) return ofDigits(digits, isInternational ? 'international' : 'open', plan);
  return withoutZero(isInternational ? code : code.replace(/^00/, ''), digits, plan);
}

function areBalanced(text: string): boolean {
  let open = '';
  for (const sign of text.match(/[()[\]]/g) ?? []) {
    if (open === '') open = sign === '(' ? ')' : sign === '[' ? ']' : 'none';
    else if (sign === open) open = '';
    else return false;
  }
  return open === '';
}

/** `+44 (0)7911 …`: the zero is dialled within the country only, unless the country keeps it (Italy). */
function withoutZero(code: string, all: string, plan: NumberPlan | null): NumberReading {
  if (!IS_CODE.test(code)) return refuse('trunkZero');
  const digits = all.slice(all.indexOf(code));
  const kept = plan?.behindCode(digits);
  return ofLength(kept ?? code + digits.slice(code.length + 1));
}

/** @param form `international` = with a leading plus */
function ofDigits(given: string, form: 'international' | 'open', plan: NumberPlan | null): NumberReading {
  const national = form === 'open' ? plan?.national?.(given) : null;
  if (national) return ofLength(national);
  const digits = form === 'open' && given.startsWith('00') ? given.slice(2) : given;
  if (digits.startsWith('0')) return refuse('trunkZero');
  if (!ZERO_BEHIND_CODE.test(digits) || digits.length > MOST_DIGITS + 1) return ofLength(digits);
  const read = plan?.behindCode(digits);
  return read ? ofLength(read) : refuse('trunkZero');
}

function ofLength(digits: string): NumberReading {
  if (digits.length < FEWEST_DIGITS) return refuse('short');
  return digits.length > MOST_DIGITS ? refuse('long') : { digits };
}

/** A country whose mobile numbers are written in two ways: `long` has a digit more, which `short` leaves out. */
interface TwoSpellings {
  code: string;
  long: RegExp;
  short: RegExp;
  extra: string;
}

/**
 * Brazil's ninth digit came before numbers that begin with 6 to 9; other 9s belong to the number. Mexico's 1 and Argentina's 9
 * mark mobile phones in calls from abroad.
 */
const TWO_SPELLINGS: readonly TwoSpellings[] = [
  { code: '55', long: /^(55[1-9][0-9])9([6-9][0-9]{7})$/, short: /^(55[1-9][0-9])([6-9][0-9]{7})$/, extra: '9' },
  { code: '52', long: /^(52)1([2-9][0-9]{9})$/, short: /^(52)([2-9][0-9]{9})$/, extra: '1' },
  { code: '54', long: /^(54)9([1-3][0-9]{9})$/, short: /^(54)([1-3][0-9]{9})$/, extra: '9' },
];
const FIRST_OF_CODES = 53; // the character 5

const twoSpellingsOf = (digits: string): TwoSpellings | undefined =>
  digits.charCodeAt(0) === FIRST_OF_CODES ? TWO_SPELLINGS.find(({ code }) => digits.startsWith(code)) : undefined;

/** The same text for every spelling of a person's number (reference/numbers#one-person); other texts are their own. */
export function personKey(digits: string): string {
  const plan = twoSpellingsOf(digits);
  return plan ? digits.replace(plan.long, '$1$2') : digits;
}

/** A number and its other spelling where it has one, the given one first. */
export function spellingsOf(digits: string): [string, ...string[]] {
  const plan = twoSpellingsOf(digits);
  if (!plan) return [digits];
  const other = plan.short.test(digits)
    ? digits.replace(plan.short, `$1${plan.extra}$2`)
    : digits.replace(plan.long, '$1$2');
  return other === digits ? [digits] : [digits, other];
}

/** Numbers with a digit more than their person key: digits before it, and a pattern that databases read too. */
export const LONG_SPELLINGS: readonly { before: number; pattern: string }[] = TWO_SPELLINGS.map(({ long, code }) => ({
  before: long.source.startsWith(`^(${code})`) ? code.length : code.length + 2,
  pattern: long.source.replace(/[()]/g, ''),
}));
