import { type DefinedError, invalid, notFound } from '../../kernel/errors.js';
import { bodyErrors } from '../../platform/http/index.js';
import { FEWEST_DIGITS, MOST_DIGITS, type NumbersFault } from './suppression.js';

const numberFaults = {
  required: invalid('numbers_required', 'numbers is required', 'neither `number` nor `numbers`').with({
    field: 'numbers',
  }),
  digits: invalid(
    'number_digits',
    `Each number must be between ${FEWEST_DIGITS} and ${MOST_DIGITS} digits`,
    'letters, too few or too many digits',
  ).with({ field: 'numbers', hint: 'Write each number with its country code.' }),
} satisfies Record<NumbersFault, DefinedError>;

export const suppressionErrors = {
  ...numberFaults,
  tooMany: invalid(
    'too_many_suppressions',
    (most: number) => `At most ${most} suppressions are allowed`,
    'SUPPRESSIONS_PER_ACCOUNT; numbers that wrote STOP are not counted',
  )
    .with({ hint: 'Remove numbers that are no longer needed.' })
    .shown(1_000_000),
  notFound: notFound('suppression_unknown', 'Suppression not found', 'none of the numbers stands on the list').with({
    field: 'number',
    hint: 'Numbers stand on the list with their country code, as digits.',
  }),
  fileTooLarge: bodyErrors.tooLarge.because('a file of more than 32 MB'),
};
