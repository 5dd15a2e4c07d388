import { RECIPIENT_TEXTS } from '../../../kernel/phone-number.js';
import type { ErrorRow } from '../../../platform/http/index.js';
import { KEY_FORM_ROW, KEY_ROWS } from '../../idempotency/index.js';
import { CHAT_CONNECTION_ROWS, NO_CHAT_ACCOUNT_ROW } from '../../providers/index.js';
import { RECIPIENT_USER_ID_TEXT, SESSION_ROWS, TOO_LARGE_TEXT } from '../domain/session-rows.js';

const TOO_MANY = 'Too many requests. Please try again later.';

const METHOD: ErrorRow = { status: 405, message: 'Method not allowed', reason: 'not POST' };
const MALFORMED: ErrorRow = {
  status: 400,
  message: 'Malformed JSON body',
  reason: 'no JSON, or deeper than 32 levels',
};
const TOO_LARGE: ErrorRow = { status: 413, message: 'Request body is too large', reason: 'body over the limit' };
const RATE: ErrorRow = { status: 429, message: TOO_MANY, reason: 'more than USER_RATE_LIMIT requests a minute' };
const PROVIDER_ROWS: ErrorRow[] = [
  { status: 502, message: 'Recipient phone number not in allowed list', reason: "the provider's own text" },
  { status: 502, message: 'Provider did not answer', reason: 'silence, 5xx, a redirect, no JSON or over 1 MB' },
];

/**
 * Error table of the v6 session messages (reference/session-messages#errors), in the order in which the rows are
 * judged.
 */
export const SESSION_ERRORS: ErrorRow[] = [
  METHOD,
  TOO_LARGE,
  MALFORMED,
  { status: 400, message: 'Invalid Authorization token', reason: 'JWT missing or invalid' },
  {
    status: 401,
    message: 'Route username does not match authenticated user',
    reason: 'path and token usernames differ',
  },
  RATE,
  KEY_FORM_ROW,
  NO_CHAT_ACCOUNT_ROW,
  ...SESSION_ROWS.map(({ text, reason }) => ({ status: 400, message: text, reason })),
  ...KEY_ROWS,
  ...CHAT_CONNECTION_ROWS,
  ...PROVIDER_ROWS,
];

/**
 * Error table of the v5 session endpoints (reference/session-messages#v5-errors), in the order in which they are
 * judged.
 */
export const V5_ERRORS: ErrorRow[] = [
  METHOD,
  TOO_LARGE,
  MALFORMED,
  { status: 401, message: 'Invalid Authorization token', reason: 'token missing or invalid' },
  RATE,
  KEY_FORM_ROW,
  NO_CHAT_ACCOUNT_ROW,
  { status: 400, message: 'brodcast_service must be chat_credits', reason: 'given and something else' },
  { status: 400, message: 'contacts is required', reason: 'missing, and no `recipient`' },
  { status: 400, message: RECIPIENT_TEXTS.invalid, reason: 'invalid after cleanup, or more than one number' },
  { status: 400, message: RECIPIENT_TEXTS.length, reason: 'bad length' },
  { status: 400, message: RECIPIENT_USER_ID_TEXT, reason: 'no user id, and no `contacts`' },
  { status: 400, message: 'schedule_time is invalid', reason: 'not HH:MM:SS' },
  { status: 400, message: 'list and buttons cannot be sent together', reason: 'both given' },
  { status: 400, message: 'list must be between 1 and 10', reason: 'number of options' },
  { status: 400, message: 'buttons must be between 1 and 3', reason: 'number of reply buttons' },
  { status: 400, message: 'buttons must be between 1 and 2', reason: 'number of call and URL buttons' },
  { status: 400, message: 'id1 is required', reason: 'an entry within the count is missing (each its name)' },
  {
    status: 400,
    message: 'title1 must be at most 20 characters',
    reason: 'an id or title is too long (each its name)',
  },
  { status: 400, message: 'uploaded_image1 must be a valid URL', reason: 'not http(s); `url_value` alike' },
  { status: 400, message: 'call_number is invalid', reason: 'not 3 to 20 digits' },
  { status: 400, message: 'broadcast_message is required', reason: 'nothing to say' },
  { status: 400, message: 'footer is invalid', reason: 'no text; `section_name` and `broadcast_name` alike' },
  { status: 400, message: TOO_LARGE_TEXT, reason: 'all that is said, as JSON' },
  ...KEY_ROWS,
  ...CHAT_CONNECTION_ROWS,
  { status: 400, message: 'Ticket Expired', reason: 'the receiver has not written within 24 hours' },
  ...PROVIDER_ROWS,
];

/** Error table of an account's list of session messages. */
export const OWN_SESSION_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'another method' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token, and no valid API key' },
  RATE,
];

/** Error table of the end of a scheduled session message, in the order in which the rows are judged. */
export const CANCEL_SESSION_ERRORS: ErrorRow[] = [
  ...OWN_SESSION_ERRORS,
  { status: 404, message: 'Message not found', reason: 'none of this account' },
  {
    status: 409,
    message: 'Message is already sent',
    reason: 'likewise sending (it may have left), delivered, read, failed, cancelled',
  },
];
