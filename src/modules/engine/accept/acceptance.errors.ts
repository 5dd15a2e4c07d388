import { conflict, invalid, unavailable } from '../../../kernel/define-error.js';
import { fieldErrors } from '../../../kernel/field-errors.js';

/** What every channel answers to a send that cannot be accepted (reference/engine#acceptance), beside its own errors. */
export const acceptanceErrors = {
  scheduleTime: invalid(
    'schedule_time',
    fieldErrors.invalid.shown('schedule_time').text,
    'past, or neither YYYY-MM-DD HH:MM:SS nor ISO 8601',
  ),
  noRoute: unavailable('no_route', 'No route available for this channel', 'nothing is charged'),
  variablesTooLong: invalid(
    'variables_too_long',
    'variables are too long',
    'those of one recipient, names and values together, over 30,000 characters',
  ),
  requestIdTaken: conflict('request_id_exists', 'request_id already exists', 'caller-supplied id of another request'),
};
