import { type DefinedError, invalid } from './define-error.js';

/** What is said of a field of a request, wherever it is read. A document shows it with the field's name. */
export const fieldErrors = naming({
  required: invalid('field_required', (field: string) => `${field} is required`),
  invalid: invalid('field_invalid', (field: string) => `${field} is invalid`),
  tooLong: invalid('field_too_long', (field: string, most: number) => `${field} must be at most ${most} characters`),
  noWord: invalid(
    'field_no_word',
    (field: string, words: readonly string[] | string) =>
      `${field} must be one of: ${typeof words === 'string' ? words : words.join(', ')}`,
  ),
  noFlag: invalid('field_no_flag', (field: string) => `${field} must be true or false`),
  noArray: invalid('field_no_array', (field: string) => `${field} must be an array`),
  tooMany: invalid(
    'recipients_too_many',
    (field: string, most: number | string) => `${field} cannot exceed ${most.toLocaleString('en')}`,
  ),
  emptyArray: invalid('field_empty_array', (field: string) => `${field} must be a non-empty array`),
  notFetched: invalid('field_not_fetched', (field: string) => `${field} could not be fetched`),
  mustBe: invalid('field_must_be', (field: string, word: string) => `${field} must be ${word}`),
  noUrl: invalid('field_no_url', (field: string) => `${field} must be a valid URL`),
  noWholeNumber: invalid(
    'field_no_whole_number',
    (field: string, from: number, to: number) => `${field} must be a whole number from ${from} to ${to}`,
  ),
});

/** Errors whose first figure is the field, which the answer names too. */
function naming<Errors extends Record<string, DefinedError<[string, ...never[]]>>>(errors: Errors): Errors {
  return Object.fromEntries(
    Object.entries(errors).map(([name, error]) => [name, error.with({ field: (field: string) => field })]),
  ) as Errors;
}

/** The text of every quota, for an error of each feature. */
export const atMost = (most: number, things: string): string => `At most ${most} ${things} are allowed`;

/** The text of every bound of a list, for an error of each feature. */
export const atMostEntries = (field: string, most: number): string => `${field} must have at most ${most} entries`;
