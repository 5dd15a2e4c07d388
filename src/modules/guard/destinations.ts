import { readNumber } from '../../kernel/phone-numbers.js';
import type { GuardTerms } from '../accounts/index.js';
import { callingCodeOf, countriesOf, isSpecial, planOf } from '../numbers/index.js';

const DIGITS = /^[0-9]+$/;
/** E.164; a carrier may cut longer ones to another number. */
const MOST_DIGITS = 15;
const SUBSCRIBER_DIGITS = 4;
const SHOWN_BEHIND_CODE = 3;

/** The number without its last four digits: the unit of bursts and freezes. */
export const prefixOf = (digits: string): string => digits.slice(0, -SUBSCRIBER_DIGITS);

/**
 * The number as a carrier dials it abroad. Digits with a leading zero are read as those of the account's country, or behind `00`;
 * others are sent, and checked, as they are. @returns null when they name no destination
 */
export function dialledNumber(number: string, country: string | null): string | null {
  if (!DIGITS.test(number)) return null;
  if (!number.startsWith('0')) return number.length > MOST_DIGITS ? null : number;
  const read = readNumber(number, planOf(country));
  return 'digits' in read ? read.digits : null;
}

type Rule = Pick<GuardTerms, 'countries' | 'prefixes' | 'special_prefixes'>;

const isIn = (prefixes: readonly string[], digits: string): boolean =>
  prefixes.some((prefix) => digits.startsWith(prefix));

/** Whether the terms allow the destination. @param digits from `dialledNumber` */
export function isAllowed({ countries, prefixes, special_prefixes }: Rule, digits: string): boolean {
  if (isSpecial(digits)) return isIn(special_prefixes, digits);
  if (countries === null || isIn(prefixes, digits)) return true;
  return countriesOf(digits).some((country) => countries.includes(country));
}

/** Names a refused destination: its calling code, or the first digits where a code is of several countries or kinds. */
export function destinationName(digits: string): string {
  const code = callingCodeOf(digits);
  const isWhole =
    code.length > 1 && countriesOf(digits).length < 2 && !(isSpecial(digits) && countriesOf(digits).length > 0);
  return isWhole ? code : digits.slice(0, Math.max(1, code.length) + SHOWN_BEHIND_CODE);
}
