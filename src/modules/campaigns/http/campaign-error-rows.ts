import type { ErrorRow } from '../../../platform/http/index.js';
import { QUOTABLE_CHANNEL_NAMES } from '../../channels/index.js';
import { KEY_FORM_ROW, KEY_ROWS } from '../../idempotency/index.js';

/** Rows of every route below one campaign. */
export const CAMPAIGN_ROWS: ErrorRow[] = [
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token' },
  { status: 404, message: 'Campaign not found', reason: 'none, or another account’s (staff see all)' },
];

const already = (reason: string): ErrorRow => ({ status: 409, message: 'Campaign is already <state>', reason });

export const CHANGE_ROWS: ErrorRow[] = [...CAMPAIGN_ROWS, already('its state does not allow it')];

export const RETRY_ROWS: ErrorRow[] = [
  ...CAMPAIGN_ROWS,
  KEY_FORM_ROW,
  ...KEY_ROWS,
  already('it has not begun'),
  { status: 503, message: 'No route available for this channel', reason: 'nothing is charged' },
  { status: 404, message: 'Template not found', reason: 'template and branded: judged as a new send is' },
  {
    status: 409,
    message: 'Template is not approved for sending',
    reason: 'likewise pending and rejected, with the texts of a template send',
  },
  {
    status: 422,
    message: 'Template language does not match the approved template',
    reason: 'it was changed; likewise its numbers of parameters',
  },
  { status: 404, message: 'No chat account found for this username', reason: 'likewise its number id and token' },
  {
    status: 409,
    message: 'Campaign has no failed recipients',
    reason: 'none but suppressed, cancelled and unknown ones, or an earlier retry has them',
  },
  { status: 400, message: 'Insufficient credits. Available: X, Required: Y', reason: 'balance lower than the total' },
];

export const TIMELINE_ROWS: ErrorRow[] = [
  ...CAMPAIGN_ROWS,
  { status: 404, message: 'Contact not found', reason: 'no such seq in the campaign' },
];

export const EVENTS_ROWS: ErrorRow[] = [
  ...CAMPAIGN_ROWS,
  {
    status: 429,
    message: 'Too many requests. Please try again later.',
    reason: 'more than 10 streams of one account, or over USER_RATE_LIMIT',
  },
];

export const QUOTE_ROWS: ErrorRow[] = [
  { status: 400, message: `channel must be one of: ${QUOTABLE_CHANNEL_NAMES.join(', ')}`, reason: 'another word' },
  { status: 400, message: 'message is required', reason: 'missing, empty, or no text' },
  { status: 400, message: 'contacts must be a non-empty array', reason: 'something else' },
  { status: 400, message: 'Message is too long', reason: 'as the channel’s own send would say' },
  { status: 404, message: 'Template not found', reason: 'template and branded: no template of that name' },
];

export const SEARCH_ROWS: ErrorRow[] = [
  { status: 400, message: 'number is required', reason: 'missing or empty' },
  { status: 400, message: 'number is invalid', reason: 'not 8 to 30 digits after the cleanup' },
];
