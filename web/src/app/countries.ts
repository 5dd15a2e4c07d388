const NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** Regions that Unicode names and that are no countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'XA', 'XB', 'QO', 'ZZ', 'AQ', 'BV', 'CP', 'CQ', 'DG', 'EA', 'GS', 'HM', 'IC', 'PN', 'TF', 'UM']); // prettier-ignore

/** English name of an ISO 3166 code; the code itself when it has none. */
export const countryName = (code: string): string => NAMES.of(code) ?? code;

/** Countries for a choice, by name; the first choice is none. */
export const COUNTRIES: readonly (readonly [code: string, name: string])[] = [
  ['', 'Not known: numbers need their country code'],
  ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .filter((code) => NAMES.of(code) !== undefined && !NO_COUNTRIES.has(code) && isCurrent(code))
    .map((code) => [code, countryName(code)] as const)
    .sort(([, a], [, b]) => a.localeCompare(b)),
];

/** Codes of the past stand for those of today: `SU` for `RU`. */
function isCurrent(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region === code && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
}
