import type { ErrorRow } from '../../../platform/http/index.js';
import { LONGEST_NAME } from '../domain/profile-request.js';

const TOO_MANY = 'Too many requests. Please try again later.';

/** What every route of the owner's answers (reference/authentication#what-each-route-takes). */
export const LIST_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'another method' },
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token, and no valid API key' },
  { status: 429, message: TOO_MANY, reason: 'over USER_RATE_LIMIT a minute' },
];

const FIELD_ROWS: ErrorRow[] = [
  { status: 400, message: `verified_name must be at most ${LONGEST_NAME} characters`, reason: 'too long' },
  { status: 400, message: 'number is invalid', reason: 'no text, or over 32 characters' },
  { status: 400, message: 'numberForOTP is invalid', reason: 'no text, or over 32 characters' },
  { status: 400, message: 'channel must be official or branded', reason: 'another word' },
];

const NOT_FOUND: ErrorRow = {
  status: 404,
  message: 'Profile request not found',
  reason: 'no request with that id for the caller',
};

export const CREATE_ERRORS: ErrorRow[] = [
  ...LIST_ERRORS,
  { status: 400, message: 'verified_name is required', reason: 'missing or empty' },
  ...FIELD_ROWS,
  { status: 400, message: 'At most 1000 profile requests are allowed', reason: 'PROFILE_REQUESTS_PER_ACCOUNT' },
];

export const CHANGE_ERRORS: ErrorRow[] = [
  ...LIST_ERRORS,
  NOT_FOUND,
  { status: 400, message: 'Can only update pending profile requests', reason: 'status is not pending' },
  { status: 400, message: 'verified_name is required', reason: 'supplied, but empty' },
  ...FIELD_ROWS,
  { status: 409, message: 'Chat profile request already exists', reason: 'it would equal another pending request' },
];

export const REMOVE_ERRORS: ErrorRow[] = [
  ...LIST_ERRORS,
  NOT_FOUND,
  { status: 400, message: 'Can only delete pending profile requests', reason: 'status is not pending' },
];

/** Errors of the public look-up, whose bodies are `{ message }` (reference/profile-requests#public-look-up). */
export const LOOK_UP_ERRORS: ErrorRow[] = [
  { status: 405, message: 'Method not allowed', reason: 'not GET' },
  { status: 429, message: TOO_MANY, reason: 'more than 60 misses in a minute from one address' },
  { status: 400, message: 'parent_username query parameter is required', reason: 'missing' },
  { status: 400, message: 'verified_name is invalid', reason: 'given twice' },
  { status: 500, message: 'Database query failed', reason: 'server error' },
];
