/** A language of templates (reference/templates#languages). */
export interface Language {
  /** the id that clients send and get; of a language that the table lacks, that of the default */
  id: number;
  /** of the id */
  name: string;
  /** short code, as the upstream spells it */
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

/** Every language, by id. */
export const LANGUAGES: readonly Language[] = ROWS.map(([id, name, code]) => ({ id, name, code }));

const DEFAULT_LANGUAGE = LANGUAGES[0] as Language;
const byId = new Map(LANGUAGES.map((language) => [language.id, language]));
const normalised = (text: string): string => text.trim().toLowerCase().replaceAll(/[-_]/g, '');
const byWord = new Map(
  LANGUAGES.flatMap((language) => [language.code, language.name].map((word) => [normalised(word), language])),
);

/** The language of an id as a number or a text of digits; null for anything else. */
function readLanguageId(value: unknown): Language | null {
  if (typeof value === 'number') return byId.get(value) ?? null;
  return typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? (byId.get(Number(value)) ?? null) : null;
}

const CODE = /^([a-z]{2,3})(?:[-_]([a-z]{2}))?$/i;

/** A code that the table lacks, such as `fr` or `pt_BR`: the upstream knows more languages than have ids. */
function readCode(text: string): Language | null {
  const [, language, region] = CODE.exec(text.trim()) ?? [];
  if (language === undefined || language !== language.toLowerCase()) return null;
  return { ...DEFAULT_LANGUAGE, code: region === undefined ? language : `${language}_${region.toUpperCase()}` };
}

/**
 * The language that a sender means (reference/templates#languages): an id, a name or a short code; case, `-` and `_` do
 * not count. A code that the table lacks has the id and the name of the default.
 * @returns null when it is neither
 */
export function readLanguage(value: unknown): Language | null {
  const listed = readLanguageId(value);
  if (listed || typeof value !== 'string') return listed;
  return byWord.get(normalised(value)) ?? readCode(value);
}

/** Whether the table has a language. */
export const isListed = ({ id, code }: Language): boolean => byId.get(id)?.code === code;

/** The language of a new template, as `readLanguage` has it; English (US) when omitted or invalid. */
export const languageOrDefault = (value: unknown): Language => readLanguage(value) ?? DEFAULT_LANGUAGE;

/** A stored language. @param code of one that the table lacks */
export function languageOf(id: number, code: string | null): Language {
  const language = byId.get(id) ?? DEFAULT_LANGUAGE;
  return code === null ? language : { ...language, code };
}
