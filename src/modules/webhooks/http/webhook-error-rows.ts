import type { ErrorRow } from '../../../platform/http/index.js';
import { FAULT_TEXTS } from '../webhooks.errors.js';

/** What every route of the owner's answers (reference/authentication#what-each-route-takes). */
export const LIST_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'another method' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token, and no valid API key' },
  { status: 429, message: 'Too many requests. Please try again later.', reason: 'over USER_RATE_LIMIT a minute' },
];

const FIELD_ROWS: ErrorRow[] = [
  { status: 400, message: FAULT_TEXTS.urlRequired, reason: 'missing or empty' },
  { status: 400, message: FAULT_TEXTS.urlTooLong, reason: 'too long' },
  { status: 400, message: FAULT_TEXTS.urlInvalid, reason: 'no text, or something else than http(s)' },
  {
    status: 400,
    message: FAULT_TEXTS.urlUnencrypted,
    reason: 'http:// in production, and `OUTBOUND_ALLOW` does not name its network',
  },
  { status: 400, message: FAULT_TEXTS.eventsRequired, reason: 'missing, empty, or no array' },
  { status: 400, message: FAULT_TEXTS.eventsUnknown, reason: 'a type that does not exist' },
  { status: 400, message: FAULT_TEXTS.eventsRepeated, reason: 'a type twice' },
];

export const CREATE_ERRORS: ErrorRow[] = [
  ...LIST_ERRORS,
  ...FIELD_ROWS,
  { status: 409, message: 'At most 10 webhooks are allowed', reason: 'WEBHOOKS_PER_ACCOUNT' },
];

export const ONE_ERRORS: ErrorRow[] = [
  ...LIST_ERRORS,
  { status: 404, message: 'Webhook not found', reason: 'unknown, deleted, or another account’s' },
];

export const CHANGE_ERRORS: ErrorRow[] = [
  ...ONE_ERRORS,
  ...FIELD_ROWS,
  { status: 400, message: FAULT_TEXTS.statusUnknown, reason: 'another word' },
];

export const REPLAY_ERRORS: ErrorRow[] = [
  ...LIST_ERRORS,
  { status: 404, message: 'Webhook event not found', reason: 'unknown, another account’s, or older than 30 days' },
];
