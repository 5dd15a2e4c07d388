import { defineError, forbidden, invalid, notFound } from '../../kernel/errors.js';

const overLimit = (code: string, text: string, reason: string) =>
  defineError<[seconds: number]>('too_many', code, text, reason, (seconds) => Math.max(1, Math.ceil(seconds)));

/** Refusals of the guard (reference/guard#errors): nothing was accepted, and nothing charged. */
export const guardErrors = {
  destination: invalid(
    'destination_not_allowed',
    (destination: string) => `Destination not allowed: ${destination}`,
    'a country, a prefix or a premium-rate, satellite or shared-cost range that staff have not allowed the account',
  )
    .with({ hint: '`GET /v6/api/account/limits` shows what the account may send to; staff allow more.' })
    .shown('881'),
  frozen: forbidden(
    'destination_frozen',
    (prefix: string) => `Sending is frozen: ${prefix}`,
    'sends to this prefix look like fraud; it ends after an hour, or when staff release it',
  )
    .with({ hint: 'What was accepted before still leaves. Ask staff to release the prefix.' })
    .shown('88123456'),
  price: invalid(
    'price_over_limit',
    (price: number, most: number) => `Price of a recipient is ${price} credits, at most ${most} are allowed`,
    'over `max_price` of the account',
  ).shown(30, 20),
  size: invalid(
    'send_over_limit',
    (most: number, period: string) => `At most ${most} recipients a ${period} are allowed`,
    'a send that is larger than the limit of the account',
  )
    .with({ hint: 'Send to fewer recipients at a time: a larger send can never pass.' })
    .shown(100, 'minute'),
  second: overLimit('second_limit', 'Limit of a second reached', 'messages a second of the account'),
  minute: overLimit('minute_limit', 'Limit of a minute reached', 'messages a minute of the account'),
  day: overLimit('daily_limit', 'Daily limit reached', 'messages a day of the account, by its time zone'),
  credits: overLimit('daily_credits', 'Daily credit limit reached', 'credits a day of the account'),
  prefixes: overLimit('daily_new_prefixes', 'Daily limit of new prefixes reached', 'prefixes never used before'),
  tests: overLimit('daily_tests', 'Daily limit of tests reached', 'recipients of test keys a day, `TESTS_PER_DAY`'),
  noFreeze: notFound('freeze_not_found', 'Freeze not found', 'none is active under the id'),
  calls: overLimit('calls_at_once', 'Too many calls at once', 'calls that are accepted and have not ended'),
};

/** What every sending endpoint may answer because of the guard. */
export const GUARD_ERRORS = [
  guardErrors.destination,
  guardErrors.frozen,
  guardErrors.price,
  guardErrors.size,
  guardErrors.second,
  guardErrors.minute,
  guardErrors.day,
  guardErrors.credits,
  guardErrors.prefixes,
  guardErrors.tests,
];
