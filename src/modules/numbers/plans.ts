import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import type { NumberPlan } from '../../kernel/phone-numbers.js';

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

/** Patterns of a country's national numbers; the library compiles them anew for each number, which takes 25 µs. */
interface CountryPatterns {
  country: CountryCode;
  /** premium-rate, shared-cost and personal numbers */
  special: readonly RegExp[];
  general: RegExp;
  fixed: RegExp | null;
  mobile: RegExp | null;
  others: readonly RegExp[];
}

const OTHER_TYPES = [
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
] as const;

/** Types whose calls and texts cost more than others, and pay the owner of the number. */
const SPECIAL_TYPES = ['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER'] as const;

/**
 * Calling codes of no country whose numbers cost as special ones do: ITU-T "List of Recommendation E.164 assigned country codes"
 * (Operational Bulletin No. 1114, 2016). 808 shared cost, 870 Inmarsat, 878 personal, 881 satellite systems, 882 and 883
 * international networks (satellite among them), 979 premium rate; 871 to 874 were Inmarsat's until 2008.
 */
const SPECIAL_CODES: readonly string[] = ['808', '870', '871', '872', '873', '874', '878', '881', '882', '883', '979'];

/** What the library has of a plan; its types leave most of it out. */
interface LibraryPlan {
  nationalNumberPattern: () => string;
  /** undefined for a type without numbers, '' for one whose numbers are those of fixed lines */
  type: (name: string) => { pattern: () => string } | undefined;
  nationalPrefix: () => string | undefined;
}

function libraryPlan(country: CountryCode): LibraryPlan {
  const plan = new Metadata();
  plan.selectNumberingPlan(country);
  return plan.numberingPlan as unknown as LibraryPlan;
}

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

function patternsOf(country: CountryCode): CountryPatterns {
  const plan = libraryPlan(country);
  const ofType = (type: string): RegExp | null => {
    const pattern = plan.type(type)?.pattern();
    return pattern ? whole(pattern) : null;
  };
  return {
    country,
    special: SPECIAL_TYPES.map(ofType).filter((pattern) => pattern !== null),
    general: whole(plan.nationalNumberPattern()),
    fixed: ofType('FIXED_LINE'),
    mobile: ofType('MOBILE'),
    others: OTHER_TYPES.map(ofType).filter((pattern) => pattern !== null),
  };
}

const byCode = new Map<string, readonly CountryPatterns[]>();

function patternsOfCode(code: string): readonly CountryPatterns[] {
  let found = byCode.get(code);
  if (!found) {
    found = getCountries()
      .filter((country) => getCountryCallingCode(country) === code)
      .map(patternsOf);
    byCode.set(code, found);
  }
  return found;
}

type LineKind = 'mobile' | 'other';

/** @returns null when no country of the calling code has the national number; where both kinds share numbers: `mobile` */
function kindOf(code: string, national: string): LineKind | null {
  let kind: LineKind | null = null;
  for (const { general, fixed, mobile, others } of patternsOfCode(code)) {
    if (!general.test(national)) continue;
    // A country whose fixed and mobile numbers look alike has one pattern for both.
    if (mobile ? mobile.test(national) : fixed?.test(national)) return 'mobile';
    if (fixed?.test(national) || others.some((other) => other.test(national))) kind = 'other';
  }
  return kind;
}

function internationalKindOf(digits: string): LineKind | null {
  const code = callingCodeOf(digits);
  return code === '' ? null : kindOf(code, digits.slice(code.length));
}

/** Whether a numbering plan has the number; false may also mean a number of a service without a country. */
export const isInPlan = (digits: string): boolean => internationalKindOf(digits) !== null;

/** Whether it is a premium-rate, satellite, shared-cost or personal number. @param digits with the calling code */
export function isSpecial(digits: string): boolean {
  const code = callingCodeOf(digits);
  if (SPECIAL_CODES.some((special) => digits.startsWith(special))) return true;
  if (code === '') return false;
  const national = digits.slice(code.length);
  return patternsOfCode(code).some(
    ({ special, general }) => special.some((pattern) => pattern.test(national)) && general.test(national),
  );
}

/** Its unknown numbers belong to none of its countries, which are of very different prices. */
const CODE_OF_MANY = '1';

/**
 * Countries whose plan has the number, ISO 3166; of a number in no plan the main country of its calling code, except in North
 * America. @param digits with the calling code
 */
export function countriesOf(digits: string): readonly string[] {
  const code = callingCodeOf(digits);
  const national = digits.slice(code.length);
  const all = code === '' ? [] : patternsOfCode(code);
  const found = all.filter(
    ({ general, fixed, mobile, others }) =>
      general.test(national) && [fixed, mobile, ...others].some((pattern) => pattern?.test(national)),
  );
  const main = code === CODE_OF_MANY ? [] : (metadata.country_calling_codes[code] ?? []).slice(0, 1);
  return found.length > 0 ? found.map(({ country }) => country) : main;
}

/** What the library makes of digits; null when no plan has that number. */
function parsed(text: string, country?: CountryCode): string | null {
  const read = parsePhoneNumberFromString(text, country);
  return read?.isValid() ? read.number.slice(1) : null;
}

const behindCode = (digits: string): string | null => (isInPlan(digits) ? digits : parsed(`+${digits}`));

const plans = new Map<string, NumberPlan>();

/** How numbers are read for an account (reference/numbers#country). @param country ISO 3166 code; null = not known */
export function planOf(country: string | null): NumberPlan {
  let plan = plans.get(country ?? '');
  if (!plan) {
    plan = country === null ? { behindCode } : { behindCode, national: nationalOf(country as CountryCode) };
    plans.set(country ?? '', plan);
  }
  return plan;
}

/**
 * With a trunk zero or the country's dialling prefix: the library's reading. Without: a number of the country, unless the
 * digits are a number with its calling code already, or abroad, and at home none that a handset has.
 */
function nationalOf(country: CountryCode): (digits: string) => string | null {
  const code = getCountryCallingCode(country);
  const prefix = libraryPlan(country).nationalPrefix() ?? '';
  const hasPrefix = prefix !== '' && prefix !== code ? (digits: string) => digits.startsWith(prefix) : () => false;
  return (digits) => {
    if (digits.startsWith('0')) return parsed(digits, country);
    if (digits.startsWith(code) && kindOf(code, digits.slice(code.length))) return null;
    const kind = kindOf(code, digits);
    if (kind && (kind === 'mobile' || !isInPlan(digits))) return `${code}${digits}`;
    return hasPrefix(digits) && !isInPlan(digits) ? parsed(digits, country) : null;
  };
}

/** How a number is dialled within a country, where that begins with a zero. @param digits with the calling code */
export function dialledWithZero(digits: string, country: string): string[] {
  const code = getCountryCallingCode(country as CountryCode);
  if (!digits.startsWith(code)) return [];
  const national = digits.slice(code.length);
  const dialled = [national, `${libraryPlan(country as CountryCode).nationalPrefix() ?? ''}${national}`];
  const { national: read } = planOf(country);
  return dialled.filter((text) => text.startsWith('0') && read?.(text) === digits);
}
