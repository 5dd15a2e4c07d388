import { setImmediate as turn } from 'node:timers/promises';
import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import { MOST_ROW_FAULTS } from '../../kernel/errors.js';
import type { AnswerWarning } from '../../platform/http/index.js';

/** Digits that tell every calling code: none is longer, and none begins another. */
const DIGITS = 3;

const CODES: ReadonlySet<string> = new Set([
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys(metadata.nonGeographic),
]);

/** The calling code by the first three digits; '' of those that no country has. */
const BY_DIGITS: readonly string[] = Array.from({ length: 10 ** DIGITS }, (_, place) =>
  codeIn(String(place).padStart(DIGITS, '0')),
);

/**
 * The calling code that a number begins with (E.164), '' = none. Three digits tell it, so rows may be grouped by the first
 * three digits of their number.
 * @param number digits
 */
export function callingCodeOf(number: string): string {
  if (number.length < DIGITS) return codeIn(number);
  const place = (number.charCodeAt(0) - 48) * 100 + (number.charCodeAt(1) - 48) * 10 + (number.charCodeAt(2) - 48);
  return BY_DIGITS[place] ?? '';
}

function codeIn(digits: string): string {
  for (let length = 1; length <= digits.length; length++) {
    const code = digits.slice(0, length);
    if (CODES.has(code)) return code;
  }
  return '';
}

/** What the numbering plans of the world say of a number. */
export interface CheckedNumber {
  /** ISO 3166 code; null = none, or none alone (numbers of satellites) */
  country: string | null;
  /** `mobile`, `fixed_line`, `fixed_line_or_mobile`, `voip`, `toll_free`, …; null = a number that no plan has */
  type: string | null;
  /** whether a plan has such a number, by length and first digits; not whether it is in use */
  isValid: boolean;
}

/**
 * Looks a number up in the numbering plans. The plans with the patterns of every type are used: those without them take
 * numbers of half of all countries for valid that no operator has.
 * @param number digits, with its calling code
 */
export function checkNumber(number: string): CheckedNumber {
  const parsed = parsePhoneNumberFromString(`+${number}`);
  if (!parsed) return { country: null, type: null, isValid: false };
  return {
    country: parsed.country ?? null,
    type: parsed.getType()?.toLowerCase() ?? null,
    isValid: parsed.isValid(),
  };
}

/** What an account wishes (reference/numbers#checks). */
interface NumberCheckWish {
  numberCheck: 'refuse' | 'warn' | 'off';
}

/** Why a number is none (reference/numbers#checks). */
export type NumberReason = 'unknown calling code' | 'too short' | 'too long' | 'no such number';

/** A number that no numbering plan has. */
export interface NumberFault extends Pick<CheckedNumber, 'country'> {
  number: string;
  /** place in what the client gave, 1 = first */
  row: number;
  reason: NumberReason;
}

/** Looks numbers up for an account that wishes so, some 25 µs each, and keeps what is wrong with them. */
export class NumberCheck {
  /** the first of them; further ones are counted */
  readonly faults: NumberFault[] = [];
  checked = 0;
  invalid = 0;

  private constructor(readonly mode: 'refuse' | 'warn') {}

  /** A check that numbers are shown to one by one. @returns null where the account wishes none */
  static begin({ numberCheck }: NumberCheckWish): NumberCheck | null {
    return numberCheck === 'off' ? null : new NumberCheck(numberCheck);
  }

  /** @param row its place, 1 = first @returns what is wrong with it; null = nothing */
  look(number: string, row: number): NumberFault | null {
    this.checked += 1;
    const { country, isValid } = checkNumber(number);
    if (isValid) return null;
    const fault = { number, row, country, reason: reasonOf(number) };
    this.invalid += 1;
    if (this.faults.length < MOST_ROW_FAULTS) this.faults.push(fault);
    return fault;
  }
}

function reasonOf(number: string): NumberReason {
  if (callingCodeOf(number) === '') return 'unknown calling code';
  const fault = validatePhoneNumberLength(`+${number}`);
  if (fault === 'TOO_SHORT') return 'too short';
  return fault === 'TOO_LONG' ? 'too long' : 'no such number';
}

/** Numbers that are looked up before others have their turn. */
const NUMBERS_A_TURN = 250;

/**
 * The hint about numbers that no numbering plan has, for accounts that have their numbers checked. Endpoints whose rule for
 * numbers is specified take such numbers all the same.
 * @param field of the request that holds the numbers
 * @param numbers as they are sent to: digits
 */
export async function numberWarnings(
  account: NumberCheckWish,
  field: string,
  numbers: readonly string[],
): Promise<AnswerWarning[]> {
  const check = NumberCheck.begin(account);
  if (!check) return [];
  for (const [place, number] of numbers.entries()) {
    if (place % NUMBERS_A_TURN === NUMBERS_A_TURN - 1) await turn();
    check.look(number, place + 1);
  }
  if (check.invalid === 0) return [];
  const message = `No numbering plan has ${check.invalid} of the numbers: they are sent to all the same`;
  return [{ code: 'numbers_look_wrong', field, count: check.invalid, message }];
}
