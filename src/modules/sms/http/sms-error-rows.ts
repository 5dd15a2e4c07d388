import type { ErrorRow } from '../../../platform/http/index.js';

const TOO_MANY = 'Too many requests. Please try again later.';
const REQUEST_ID = 'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -';

const SENDING_ROWS: ErrorRow[] = [
  { status: 400, message: 'Message is too long', reason: 'over 612 septets of GSM text or 331 Unicode units' },
  {
    status: 400,
    message: 'Each contact number must be between 9 and 30 digits',
    reason: 'a contact is out of range after cleanup; the whole request fails',
  },
  { status: 400, message: REQUEST_ID, reason: 'caller-supplied id out of form' },
];

const ACCEPTANCE_ROWS: ErrorRow[] = [
  { status: 503, message: 'No route available for this channel', reason: 'nothing is charged' },
  { status: 409, message: 'request_id already exists', reason: 'caller-supplied id of another request' },
  { status: 400, message: 'Insufficient credits. Available: X, Required: Y', reason: 'balance lower than the total' },
  { status: 500, message: 'Database connection failed', reason: 'server error' },
];

/** Error table of `addbroadcastgsm.php` (spec 7; decisions §3, §5, §7), in the order in which the rows are judged. */
export const BROADCAST_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'not POST' },
  { status: 413, message: 'Request body is too large', reason: 'body over BODY_LIMIT' },
  { status: 400, message: 'Malformed JSON body', reason: 'no JSON' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid JWT and no usable username in body' },
  { status: 429, message: TOO_MANY, reason: 'more than 10 requests in 60 seconds per username and IP' },
  {
    status: 400,
    message: 'broadcast_name, brodcast_service, contacts, and message are required',
    reason: 'a required field is missing or empty',
  },
  ...SENDING_ROWS,
  { status: 400, message: 'schedule_time is invalid', reason: 'past, or neither YYYY-MM-DD HH:MM:SS nor ISO 8601' },
  ...ACCEPTANCE_ROWS,
];

/** Error table of `sms_get.php` (decisions §7), in the v5 shape. */
export const SMS_GET_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'not GET; HEAD too, because GET sends' },
  { status: 429, message: TOO_MANY, reason: 'too many requests, or too many failed tries' },
  {
    status: 400,
    message: 'username, password, message, and number are required',
    reason: 'a parameter is missing, empty or given twice',
  },
  { status: 401, message: 'Invalid credentials', reason: 'no such account or wrong password' },
  { status: 401, message: 'Account is inactive', reason: 'account not active' },
  { status: 401, message: 'Account expired. Please contact your administrator.', reason: 'expiry date passed' },
  ...SENDING_ROWS,
  ...ACCEPTANCE_ROWS,
];
