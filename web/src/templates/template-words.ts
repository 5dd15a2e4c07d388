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

export const languageOf = (id: number): string => LANGUAGES[id - 1] ?? String(id);

/** Statuses in which the owner may change or delete it. */
export const isChangeable = (status: number): boolean => status === 0 || status === 2 || status === 3;
