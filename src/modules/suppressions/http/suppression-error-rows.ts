import type { ErrorRow } from '../../../platform/http/index.js';
import { DIGITS_TEXT } from '../suppressions.errors.js';

/** What every route of the stop list answers (reference/authentication#what-each-route-takes). */
const SHARED: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'another method' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token, and no valid API key' },
  {
    status: 429,
    message: 'Too many requests. Please try again later.',
    reason: 'over USER_RATE_LIMIT a minute',
  },
];

const DIGITS: ErrorRow = { status: 400, message: DIGITS_TEXT, reason: 'letters, too few or too many digits' };

const FULL: ErrorRow = {
  status: 400,
  message: 'At most 1000000 suppressions are allowed',
  reason: 'SUPPRESSIONS_PER_ACCOUNT; numbers that wrote STOP are not counted',
};

export const LIST_ERRORS: ErrorRow[] = [...SHARED, DIGITS];

const NUMBERS: ErrorRow[] = [
  ...SHARED,
  { status: 400, message: 'numbers is required', reason: 'neither `number` nor `numbers`' },
  DIGITS,
];

export const ADD_ERRORS: ErrorRow[] = [...NUMBERS, FULL];

export const REMOVE_ERRORS: ErrorRow[] = [
  ...NUMBERS,
  { status: 404, message: 'Suppression not found', reason: 'none of the numbers stands on the list' },
];

export const IMPORT_ERRORS: ErrorRow[] = [
  ...SHARED,
  { status: 400, message: 'file is required', reason: 'neither a form with a part `file` nor a CSV body' },
  { status: 400, message: 'Malformed multipart body', reason: 'a form that cannot be read' },
  FULL,
  { status: 413, message: 'Request body is too large', reason: 'a file of more than 32 MB' },
];
