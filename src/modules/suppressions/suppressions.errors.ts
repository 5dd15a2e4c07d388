import { AppError } from '../../kernel/app-error.js';
import { FEWEST_DIGITS, MOST_DIGITS, type NumbersFault } from './domain/suppression.js';

const invalid = (code: string, text: string): AppError => new AppError('invalid', code, text);

export const DIGITS_TEXT = `Each number must be between ${FEWEST_DIGITS} and ${MOST_DIGITS} digits`;

const FAULTS: Record<NumbersFault, () => AppError> = {
  required: () => invalid('numbers_required', 'numbers is required'),
  digits: () => invalid('number_digits', DIGITS_TEXT),
};

/** Errors of the stop list. */
export const suppressionErrors = {
  fault: (fault: NumbersFault) => FAULTS[fault](),
  tooMany: (most: number) => invalid('too_many_suppressions', `At most ${most} suppressions are allowed`),
  notFound: () => new AppError('not_found', 'suppression_unknown', 'Suppression not found'),
  fileRequired: () => invalid('file_required', 'file is required'),
  malformedMultipart: () => invalid('malformed_multipart', 'Malformed multipart body'),
  tooLarge: () => new AppError('too_large', 'body_too_large', 'Request body is too large'),
};
