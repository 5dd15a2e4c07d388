import type { ErrorRow } from '../../../../platform/http/index.js';
import { acceptanceRows, broadcastRows, CONTACT_ROW, TOO_MANY, tooLongRow } from '../../broadcasts/index.js';

const TOO_LONG = 'over 612 septets of GSM text or 331 Unicode units';
const REQUEST_ID: ErrorRow = {
  status: 400,
  message: 'providermessageid must be 1 to 64 characters of A-Z a-z 0-9 . _ : -',
  reason: 'caller-supplied id out of form',
};
const CONFLICT: ErrorRow[] = [
  { status: 429, message: TOO_MANY, reason: 'a caller-supplied id after too many of other accounts in a minute' },
  { status: 409, message: 'request_id already exists', reason: 'caller-supplied id of another request' },
];

/**
 * Error table of `addbroadcastgsm.php` (reference/sms#addbroadcastgsmphp), in the order in which the rows are judged.
 */
export const BROADCAST_ERRORS: ErrorRow[] = broadcastRows({
  tooLong: TOO_LONG,
  rows: [REQUEST_ID],
  conflict: CONFLICT,
});

/** Error table of `sms_get.php` (reference/sms#sms_getphp), in the v5 shape. */
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
  tooLongRow(TOO_LONG),
  CONTACT_ROW,
  REQUEST_ID,
  ...acceptanceRows(CONFLICT),
];
