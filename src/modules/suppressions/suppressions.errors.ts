import { invalid, notFound } from '../../kernel/errors.js';
import { NUMBER_REFUSALS, refusedNumber } from '../../kernel/phone-numbers.js';
import { bodyErrors } from '../../platform/http/index.js';

const numberFaults = {
  required: invalid('numbers_required', 'numbers is required', 'neither `number` nor `numbers`').with({
    field: 'numbers',
  }),
  number: invalid(
    'number_invalid',
    (refused: string) => refusedNumber(refused).message,
    'what the strict reader refuses; `index` tells which of `numbers`',
  )
    .with({ field: 'numbers', hint: 'Write each number with + and its country code.' })
    .shown(NUMBER_REFUSALS.decimal),
};

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
