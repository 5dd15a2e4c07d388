import { conflict, invalid, unavailable } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';

/** What every channel answers to a send that cannot be accepted (reference/engine#acceptance), beside its own errors. */
export const acceptanceErrors = {
  scheduleTime: invalid(
    'schedule_time',
    fieldErrors.invalid.shown('schedule_time').text,
    'neither YYYY-MM-DD HH:MM:SS nor ISO 8601',
  ).with({
    field: 'schedule_time',
    hint: 'Write YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601 with its offset.',
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
