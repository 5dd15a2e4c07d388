import type { DocumentedError } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';
import { codePoints, readText } from '../../../kernel/text.js';
import { tooMany } from '../../../platform/security/index.js';
import { FEWEST, MOST, searchErrors } from '../search.errors.js';

/** For Swagger. */
export const Q = {
  name: 'q',
  example: '919812345678',
  description:
    'a telephone number, the beginning of a request id, of a template’s, an account’s or a person’s name, or a part of a campaign’s name',
} as const;

/** Errors of a search, in the order in which they are judged. */
export const SEARCH_ERRORS: readonly DocumentedError[] = [
  fieldErrors.required.shown('q').because('missing or empty'),
  fieldErrors.invalid.shown('q').because('given twice'),
  searchErrors.tooShort,
  fieldErrors.tooLong.shown('q', MOST).because('longer'),
  tooMany.because('a number, while another search of this account, or four others, look through recipients'),
];

/** @throws AppError `SEARCH_ERRORS` */
export function readSearched(value: unknown): string {
  const read = readText(value);
  if (read.kind === 'empty') throw fieldErrors.required('q');
  if (read.kind !== 'text') throw fieldErrors.invalid('q');
  const text = read.value.trim();
  const length = codePoints(text);
  if (length < FEWEST) throw searchErrors.tooShort();
  if (length > MOST) throw fieldErrors.tooLong('q', MOST);
  return text;
}
