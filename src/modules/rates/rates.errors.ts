import { conflict, invalid, notFound, atMost, fieldErrors } from '../../kernel/errors.js';

export const rateErrors = {
  notFound: notFound('rate_plan_not_found', 'Rate plan not found', 'no plan of that name'),
  name: invalid('invalid_rate_plan', fieldErrors.invalid.shown('plan').text, 'not 1 to 64 of A-Z a-z 0-9 . _ -'),
  /** of an account that should get it */
  unknown: invalid('unknown_rate_plan', fieldErrors.invalid.shown('rate_plan').text, 'no plan of that name'),
  tooMany: invalid('too_many_rates', (most: number) => atMost(most, 'rates'), 'more rows'),
  doubled: invalid(
    'rate_doubled',
    (row: number, earlier: number) => `rates[${row}] has the channel and prefix of rates[${earlier}]`,
    'a channel and prefix that come twice',
  ),
  race: conflict(
    'rate_plan_race',
    'Rate plan was changed at the same time',
    'another request created it; send it again',
  ),
  inUse: conflict('rate_plan_in_use', 'Rate plan is used by accounts', 'accounts have it'),
};
