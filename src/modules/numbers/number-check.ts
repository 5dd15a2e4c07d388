import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/max';
import { MOST_ROW_FAULTS } from '../../kernel/errors.js';
import { callingCodeOf, isInPlan } from './plans.js';

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

/** Checks an account's numbers, less than 1 µs each, and collects the faults. */
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
    if (isInPlan(number)) return null;
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
