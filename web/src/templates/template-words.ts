/** Statuses and categories of templates in words, by the API's numbers. */
export const STATUS_OF: Readonly<Record<number, string>> = {
  0: 'draft',
  1: 'approved',
  2: 'rejected',
  3: 'pending',
  4: 'paused',
  5: 'disabled',
};
export const CATEGORY_OF: Readonly<Record<number, 'marketing' | 'utility' | 'auth'>> = {
  1: 'marketing',
  2: 'utility',
  3: 'auth',
};
/** What the provider has changed of a template's category; null = nothing. */
export function categoryNote({
  previous_category: previous,
  upcoming_category: upcoming,
}: {
  previous_category: string | null;
  upcoming_category: string | null;
}): string | null {
  if (upcoming !== null) return `The provider will move it to ${upcoming}. Sends are then charged in that category.`;
  return previous === null ? null : `The provider moved it from ${previous}. Sends are now charged in this category.`;
}

/** Languages by their ids, which begin with 1. */
export const LANGUAGES = [
  'English (US)',
  'Telugu',
  'Tamil',
  'Russian',
  'Punjabi',
  'Marathi',
  'Malayalam',
  'Hindi',
  'Gujarati',
  'Urdu',
  'Bengali',
  'Kannada',
  'English (UK)',
  'English',
  'Hebrew',
] as const;

/** The language of a template; one that has no id is known by its code. */
export const languageOf = ({ language, language_code: code }: { language: number; language_code: string }): string =>
  hasNoId({ language, language_code: code }) ? code : (LANGUAGES[language - 1] ?? String(language));

/** Id 1 stands for every language that has no id of its own. */
export const hasNoId = ({ language, language_code: code }: { language: number; language_code: string }): boolean =>
  language === 1 && code !== 'en_US';

/** Statuses in which the owner may change or delete it. */
export const isChangeable = (status: number): boolean => status === 0 || status === 2 || status === 3;
