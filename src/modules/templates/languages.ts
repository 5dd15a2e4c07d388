/** A language of templates (reference/templates#languages). */
export interface Language {
  id: number;
  name: string;
  code: string;
}

const ROWS: readonly (readonly [id: number, name: string, code: string])[] = [
  [1, 'English (US)', 'en_US'],
  [2, 'Telugu', 'te'],
  [3, 'Tamil', 'ta'],
  [4, 'Russian', 'ru'],
  [5, 'Punjabi', 'pa'],
  [6, 'Marathi', 'mr'],
  [7, 'Malayalam', 'ml'],
  [8, 'Hindi', 'hi'],
  [9, 'Gujarati', 'gu'],
  [10, 'Urdu', 'ur'],
  [11, 'Bengali', 'bn'],
  [12, 'Kannada', 'kn'],
  [13, 'English (UK)', 'en_GB'],
  [14, 'English', 'en'],
  [15, 'Hebrew', 'he'],
];

export const LANGUAGES: readonly Language[] = ROWS.map(([id, name, code]) => ({ id, name, code }));

/** Languages without an id, as the provider writes their names and codes; further codes are kept too. */
const FURTHER: readonly (readonly [name: string, code: string])[] = [
  ['Afrikaans', 'af'],
  ['Albanian', 'sq'],
  ['Arabic', 'ar'],
  ['Arabic (EGY)', 'ar_EG'],
  ['Arabic (UAE)', 'ar_AE'],
  ['Azerbaijani', 'az'],
  ['Belarusian', 'be_BY'],
  ['Bulgarian', 'bg'],
  ['Catalan', 'ca'],
  ['Chinese (CHN)', 'zh_CN'],
  ['Chinese (HKG)', 'zh_HK'],
  ['Chinese (TAI)', 'zh_TW'],
  ['Croatian', 'hr'],
  ['Czech', 'cs'],
  ['Danish', 'da'],
  ['Dari', 'prs_AF'],
  ['Dutch', 'nl'],
  ['Dutch (BEL)', 'nl_BE'],
  ['English (AUS)', 'en_AU'],
  ['English (CAN)', 'en_CA'],
  ['English (IND)', 'en_IN'],
  ['Estonian', 'et'],
  ['Filipino', 'fil'],
  ['Finnish', 'fi'],
  ['French', 'fr'],
  ['French (BEL)', 'fr_BE'],
  ['French (CAN)', 'fr_CA'],
  ['French (CHE)', 'fr_CH'],
  ['Georgian', 'ka'],
  ['German', 'de'],
  ['German (AUT)', 'de_AT'],
  ['German (CHE)', 'de_CH'],
  ['Greek', 'el'],
  ['Hausa', 'ha'],
  ['Hungarian', 'hu'],
  ['Indonesian', 'id'],
  ['Irish', 'ga'],
  ['Italian', 'it'],
  ['Japanese', 'ja'],
  ['Kazakh', 'kk'],
  ['Kinyarwanda', 'rw_RW'],
  ['Korean', 'ko'],
  ['Kyrgyz (Kyrgyzstan)', 'ky_KG'],
  ['Lao', 'lo'],
  ['Latvian', 'lv'],
  ['Lithuanian', 'lt'],
  ['Macedonian', 'mk'],
  ['Malay', 'ms'],
  ['Norwegian', 'nb'],
  ['Pashto', 'ps_AF'],
  ['Persian', 'fa'],
  ['Polish', 'pl'],
  ['Portuguese (BR)', 'pt_BR'],
  ['Portuguese (POR)', 'pt_PT'],
  ['Romanian', 'ro'],
  ['Serbian', 'sr'],
  ['Sinhala', 'si_LK'],
  ['Slovak', 'sk'],
  ['Slovenian', 'sl'],
  ['Spanish', 'es'],
  ['Spanish (ARG)', 'es_AR'],
  ['Spanish (CHL)', 'es_CL'],
  ['Spanish (COL)', 'es_CO'],
  ['Spanish (MEX)', 'es_MX'],
  ['Spanish (SPA)', 'es_ES'],
  ['Swahili', 'sw'],
  ['Swedish', 'sv'],
  ['Thai', 'th'],
  ['Turkish', 'tr'],
  ['Ukrainian', 'uk'],
  ['Uzbek', 'uz'],
  ['Vietnamese', 'vi'],
  ['Zulu', 'zu'],
];

export const DEFAULT_LANGUAGE = LANGUAGES[0] as Language;
const byId = new Map(LANGUAGES.map((language) => [language.id, language]));
const normalised = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');
/** Id 1 stands for a language without an id. */
const byCode = (code: string): Language => ({ ...DEFAULT_LANGUAGE, code });
const NAMES = {
  language: new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }),
  region: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
};

/** `es_MX` is also Spanish (MX), and Spanish (Mexico); `fr` is French. */
function usualNames(code: string): string[] {
  const [language = '', region] = code.split('_');
  const name = NAMES.language.of(language) ?? '';
  return region === undefined ? [name] : [`${name} ${region}`, `${name} ${NAMES.region.of(region) ?? ''}`];
}

const LISTED: readonly Language[] = [
  ...FURTHER.map(([name, code]) => ({ ...DEFAULT_LANGUAGE, code, name })),
  ...LANGUAGES,
];
const byWord = new Map(
  LISTED.flatMap((language) => {
    const found = byId.get(language.id)?.code === language.code ? language : byCode(language.code);
    return [...usualNames(language.code), language.name, language.code].map((word) => [normalised(word), found]);
  }),
);

function readLanguageId(value: unknown): Language | null {
  if (typeof value === 'number') return byId.get(value) ?? null;
  return typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? (byId.get(Number(value)) ?? null) : null;
}

const CODE = /^([a-z]{2,3})(?:[-_]([a-z]{2}))?$/i;
const UNKNOWN_REGION = 'ZZ';

/**
 * A code that neither list has, of a language and region that exist: the provider adds languages. Former codes are read as
 * today's (`iw` is Hebrew), and the main region of a language goes (`hi_IN` is Hindi): the provider has no such codes.
 */
function readCode(text: string): Language | null {
  const [, given, region] = CODE.exec(text) ?? [];
  if (given === undefined || NAMES.language.of(given.toLowerCase()) === undefined) return null;
  const { language } = new Intl.Locale(given);
  const upper = region?.toUpperCase();
  if (upper === UNKNOWN_REGION || (upper !== undefined && NAMES.region.of(upper) === undefined)) return null;
  const isMain = upper === undefined || new Intl.Locale(language).maximize().region === upper;
  return isMain ? (byWord.get(normalised(language)) ?? byCode(language)) : byCode(`${language}_${upper}`);
}

/** Reads an id, name or short code, ignoring case and punctuation (reference/templates#languages); null for other values. */
export function readLanguage(value: unknown): Language | null {
  const listed = readLanguageId(value);
  if (listed || typeof value !== 'string') return listed;
  return byWord.get(normalised(value)) ?? readCode(value.trim());
}

/** Whether a language has an id. */
export const isListed = ({ id, code }: Language): boolean => byId.get(id)?.code === code;

/** `readLanguage`, or English (US) if the value is absent or invalid. */
export const languageOrDefault = (value: unknown): Language => readLanguage(value) ?? DEFAULT_LANGUAGE;

export function languageOf(id: number, code: string | null): Language {
  const language = byId.get(id) ?? DEFAULT_LANGUAGE;
  // A process of 0.3.0 changes the id and leaves the code: then the id counts.
  return code === null || id !== DEFAULT_LANGUAGE.id ? language : { ...language, code };
}
