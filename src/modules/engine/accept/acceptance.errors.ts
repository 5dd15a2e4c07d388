import { AppError, conflict, invalid, unavailable, fieldErrors } from '../../../kernel/errors.js';
import { creditErrors } from '../../credits/index.js';
import { MOST_GROUPS } from '../lanes.js';
import { LATE_RULES } from '../campaign.js';

export const LEAST_LATE_S = 60;
export const MOST_LATE_S = 604_800;

/** Errors of every channel for a send that cannot be accepted (reference/engine#acceptance). */
export const acceptanceErrors = {
  scheduleTime: invalid(
    'schedule_time',
    fieldErrors.invalid.shown('schedule_time').text,
    'neither YYYY-MM-DD HH:MM:SS nor ISO 8601',
  ).with({
    field: 'schedule_time',
    hint: 'Write YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601 with its offset.',
  }),
  late: invalid('invalid_field', fieldErrors.noWord.shown('late', LATE_RULES).text, 'another word').with({
    field: 'late',
    hint: 'It says what happens to a scheduled send that starts late: see docs/reference/engine.md#late-starts.',
  }),
  lateAfter: invalid(
    'invalid_field',
    `late_after_s must be a whole number from ${LEAST_LATE_S} to ${MOST_LATE_S}`,
    'no such number',
  ).with({ field: 'late_after_s' }),
  lateAlone: invalid('invalid_field', 'late needs a schedule_time', '`late` or `late_after_s` without it').with({
    field: 'late',
  }),
  schedulePast: invalid(
    'schedule_time_past',
    fieldErrors.invalid.shown('schedule_time').text,
    'a moment that is past',
  ).with({
    field: 'schedule_time',
    hint: 'This moment is past. A time without an offset is meant in the time zone of the account.',
  }),
  noRoute: unavailable('no_route', 'No route available for this channel', 'nothing is charged').with({
    hint: 'No active route of this channel serves the account: ask the operator. Nothing was charged; try again later.',
  }),
  tooManyChains: invalid(
    'too_many_chains',
    `Recipients leave over more than ${MOST_GROUPS} chains of routes`,
    'as the rules of the operator choose for their numbers; nothing is charged',
  ).with({ hint: 'Send to fewer numbers at a time, or name a route: nothing was accepted, and nothing charged.' }),
  variablesTooLong: invalid(
    'variables_too_long',
    'variables are too long',
    'those of one recipient, names and values together, over 30,000 characters',
  ).with({ field: 'variables', hint: 'Shorten the values, or put what is the same for all into the text.' }),
  requestIdTaken: conflict(
    'request_id_exists',
    'request_id already exists',
    'caller-supplied id of another request',
  ).with({
    field: 'providermessageid',
    hint: 'Ids are unique over all accounts: choose another one. The same request sent again, with nothing changed, gets the first answer.',
  }),
};

/** The balance does not cover the campaign (reference/credits#debits); a channel may throw its own text instead. */
export class InsufficientCredits extends AppError {
  constructor(
    readonly available: number,
    readonly required: number,
  ) {
    const { kind, code, message, help } = creditErrors.insufficient(available, required);
    super(kind, code, message);
    this.helping(help);
  }
}
