/** A language of templates (reference/templates#languages). */
export interface Language {
  /** the id that clients send and get */
  id: number;
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

/**
 * The language that a sender means (reference/templates#languages): an id, a name or a short code; case, `-` and `_` do
 * not count.
 * @returns null when it is none of reference/templates#languages
 */
export function readLanguage(value: unknown): Language | null {
  return readLanguageId(value) ?? (typeof value === 'string' ? (byWord.get(normalised(value)) ?? null) : null);
}

/**
 * The language of a new template (reference/templates#languages): an id, `'8'` too, a name or a short code; English (US)
 * when omitted or invalid.
 */
export const languageOrDefault = (value: unknown): Language => readLanguage(value) ?? DEFAULT_LANGUAGE;

/** Whether a new template names a language that is none: it becomes English (US). */
export const isUnknownLanguage = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && readLanguage(value) === null;

/** The language of a stored id. */
export const languageOf = (id: number): Language => byId.get(id) ?? DEFAULT_LANGUAGE;
