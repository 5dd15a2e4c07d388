import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import { MOST_ROW_FAULTS } from '../../kernel/errors.js';
import type { AnswerWarning } from '../../platform/http/index.js';

/** Digits that identify every calling code: none is longer, and none is a prefix of another. */
const DIGITS = 3;

const CODES: ReadonlySet<string> = new Set([
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys(metadata.nonGeographic),
]);

const BY_DIGITS: readonly string[] = Array.from({ length: 10 ** DIGITS }, (_, index) =>
  codeIn(String(index).padStart(DIGITS, '0')),
);

/** Calling code of a number (E.164), '' = none. Depends on the first three digits only, so rows may be grouped by them. */
export function callingCodeOf(number: string): string {
  if (number.length < DIGITS) return codeIn(number);
  const index = (number.charCodeAt(0) - 48) * 100 + (number.charCodeAt(1) - 48) * 10 + (number.charCodeAt(2) - 48);
  return BY_DIGITS[index] ?? '';
}

function codeIn(digits: string): string {
  for (let length = 1; length <= digits.length; length++) {
    const code = digits.slice(0, length);
    if (CODES.has(code)) return code;
  }
  return '';
}

export interface CheckedNumber {
  /** ISO 3166 code; null = none or several (satellite numbers) */
  country: string | null;
  /** `mobile`, `fixed_line`, `fixed_line_or_mobile`, `voip`, `toll_free`, …; null = not in any plan */
  type: string | null;
  /** whether a plan has the number, by length and first digits; not whether it is in use */
  isValid: boolean;
}

/** Checks a number against the plans with full patterns: smaller ones accept invalid numbers of half of all countries. */
export function checkNumber(number: string): CheckedNumber {
  const parsed = parsePhoneNumberFromString(`+${number}`);
  if (!parsed) return { country: null, type: null, isValid: false };
  return {
    country: parsed.country ?? null,
    type: parsed.getType()?.toLowerCase() ?? null,
    isValid: parsed.isValid(),
  };
}

interface NumberCheckWish {
  numberCheck: 'refuse' | 'warn' | 'off';
}

/** Reason for an invalid number (reference/numbers#checks). */
export type NumberReason = 'unknown calling code' | 'too short' | 'too long' | 'no such number';

export interface NumberFault extends Pick<CheckedNumber, 'country'> {
  number: string;
  row: number;
  reason: NumberReason;
}

/** Checks an account's numbers, some 25 µs each, and collects the faults. */
export class NumberCheck {
  /** the first faults; further ones are only counted */
  readonly faults: NumberFault[] = [];
  checked = 0;
  invalid = 0;

  private constructor(readonly mode: 'refuse' | 'warn') {}

  /** @returns null when the account has checks off */
  static begin({ numberCheck }: NumberCheckWish): NumberCheck | null {
    return numberCheck === 'off' ? null : new NumberCheck(numberCheck);
  }

  /** @param row 1 = first @returns null when valid */
  check(number: string, row: number): NumberFault | null {
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

/** Numbers between two yields to the event loop. */
const NUMBERS_AT_ONCE = 250;

/** Warnings about invalid numbers, where the specification accepts them. @param field of the request with the numbers */
export async function numberWarnings(
  account: NumberCheckWish,
  field: string,
  numbers: readonly string[],
): Promise<AnswerWarning[]> {
  const check = NumberCheck.begin(account);
  if (!check) return [];
  for (const [index, number] of numbers.entries()) {
    if (index % NUMBERS_AT_ONCE === NUMBERS_AT_ONCE - 1) await yieldToOthers();
    check.check(number, index + 1);
  }
  if (check.invalid === 0) return [];
  const message = `No numbering plan has ${check.invalid} of the numbers: they are sent to all the same`;
  return [{ code: 'numbers_look_wrong', field, count: check.invalid, message }];
}
