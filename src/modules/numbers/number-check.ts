import { validatePhoneNumberLength } from 'libphonenumber-js/max';
import { MOST_ROW_FAULTS } from '../../kernel/app-error.js';
import { callingCodeOf } from './calling-codes.js';
import { type CheckedNumber, checkNumber } from './check-number.js';

/** What an account wishes (reference/numbers#checks). */
export interface NumberCheckWish {
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
