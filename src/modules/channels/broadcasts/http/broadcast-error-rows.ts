import type { ErrorRow } from '../../../../platform/http/index.js';
import { KEY_FORM_ROW, KEY_ROWS } from '../../../idempotency/index.js';

export const TOO_MANY = 'Too many requests. Please try again later.';

/** What may be wrong with the contacts and with accepting, wherever a broadcast comes from. */
export const CONTACT_ROW: ErrorRow = {
  status: 400,
  message: 'Each contact number must be between 9 and 30 digits',
  reason: 'a contact is out of range after cleanup; the whole request fails',
};

export const tooLongRow = (reason: string): ErrorRow => ({ status: 400, message: 'Message is too long', reason });

const NO_ROUTE: ErrorRow = {
  status: 503,
  message: 'No route available for this channel',
  reason: 'nothing is charged',
};

/** The end of every sending table. @param conflict where the caller may name the request id */
export const acceptanceRows = (conflict: ErrorRow[] = []): ErrorRow[] => [
  NO_ROUTE,
  ...conflict,
  { status: 400, message: 'Insufficient credits. Available: X, Required: Y', reason: 'balance lower than the total' },
  { status: 500, message: 'Database connection failed', reason: 'server error' },
];

/**
 * Error table of a broadcast endpoint (reference/sms#addbroadcastgsmphp), in the order in which the rows are judged.
 * @param own.tooLong when a message is too long
 * @param own.rows rows of the endpoint's own fields
 */
export const broadcastRows = (own: { tooLong: string; rows: ErrorRow[]; conflict?: ErrorRow[] }): ErrorRow[] => [
  { status: 405, message: 'Method not allowed', reason: 'not POST' },
  { status: 413, message: 'Request body is too large', reason: 'body over BODY_LIMIT' },
  { status: 400, message: 'Malformed JSON body', reason: 'no JSON, or deeper than 32 levels' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid JWT and no usable username in body' },
  { status: 429, message: TOO_MANY, reason: 'more than 10 requests in 60 seconds per username and IP' },
  KEY_FORM_ROW,
  {
    status: 400,
    message: 'broadcast_name, brodcast_service, contacts, and message are required',
    reason: 'a required field is missing or empty',
  },
  tooLongRow(own.tooLong),
  CONTACT_ROW,
  ...own.rows,
  { status: 400, message: 'schedule_time is invalid', reason: 'past, or neither YYYY-MM-DD HH:MM:SS nor ISO 8601' },
  ...KEY_ROWS,
  ...acceptanceRows(own.conflict),
];
