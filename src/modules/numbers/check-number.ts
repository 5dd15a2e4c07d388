import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

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
