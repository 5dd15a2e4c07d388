import metadata from 'libphonenumber-js/max/metadata';

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
