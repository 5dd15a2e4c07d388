import type { ErrorRow } from '../../../platform/http/index.js';
import { BALANCE_ROW } from '../../credits/index.js';

const TOO_MANY = 'Too many requests. Please try again later.';

/** Errors of every route of the account's own desk. */
const SELF_SERVICE_ERRORS: ErrorRow[] = [
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token, and no valid API key' },
  { status: 429, message: TOO_MANY, reason: 'over USER_RATE_LIMIT a minute' },
];

/** Errors of every route that no key opens: password, keys, people. */
const TOKEN_ERRORS: ErrorRow[] = [
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token; an API key is none' },
  { status: 429, message: TOO_MANY, reason: 'over USER_RATE_LIMIT a minute' },
];

export const CREDIT_ERRORS: ErrorRow[] = SELF_SERVICE_ERRORS;

export const LEDGER_ERRORS: ErrorRow[] = [...SELF_SERVICE_ERRORS, BALANCE_ROW];

const PASSWORD_RULES: ErrorRow[] = [
  { status: 400, message: 'Password must be at least 8 characters', reason: 'and the other rules of registration' },
];

export const PASSWORD_ERRORS: ErrorRow[] = [
  ...TOKEN_ERRORS,
  { status: 400, message: 'current is required', reason: 'likewise new' },
  { status: 400, message: 'revoke_api_keys must be true, false or a list of ids', reason: 'likewise revoke_users' },
  { status: 403, message: 'Permission denied', reason: 'an assigned user who would revoke keys or people' },
  ...PASSWORD_RULES,
  { status: 404, message: 'API key not found', reason: 'an id that is not the account’s; nothing is changed' },
  { status: 404, message: 'User not found', reason: 'likewise' },
  { status: 429, message: TOO_MANY, reason: 'too many wrong passwords in a minute' },
  { status: 401, message: 'Invalid credentials', reason: 'the current password is another' },
];

export const API_KEY_ERRORS: ErrorRow[] = [
  ...TOKEN_ERRORS,
  { status: 403, message: 'Permission denied', reason: 'an assigned user: keys are the account’s own' },
];

export const CREATE_API_KEY_ERRORS: ErrorRow[] = [
  ...API_KEY_ERRORS,
  { status: 400, message: 'name is invalid', reason: 'no text, or over 100 characters' },
  { status: 400, message: 'allowed_ips must be a list of texts', reason: 'something else' },
  { status: 400, message: 'allowed_ips must have at most 100 entries', reason: 'more' },
  { status: 400, message: 'allowed_ips[0] is not an IP address or range', reason: 'neither IPv4 nor IPv6 nor CIDR' },
  { status: 409, message: 'At most 100 API keys are allowed', reason: 'API_KEYS_PER_ACCOUNT' },
];

export const REVOKE_API_KEY_ERRORS: ErrorRow[] = [
  ...API_KEY_ERRORS,
  { status: 404, message: 'API key not found', reason: 'unknown, revoked, or another account’s' },
];

export const USER_ERRORS: ErrorRow[] = [
  ...TOKEN_ERRORS,
  { status: 403, message: 'Permission denied', reason: 'an assigned user, or client_management is off' },
];

export const KNOWN_USER_ERRORS: ErrorRow[] = [
  ...USER_ERRORS,
  { status: 404, message: 'User not found', reason: 'unknown, or another account’s' },
];

const NAME_ROWS: ErrorRow[] = [
  { status: 400, message: 'firstname must be at most 100 characters', reason: 'likewise lastname' },
  { status: 400, message: 'email is invalid', reason: 'not an address' },
  { status: 409, message: 'Email already registered', reason: 'taken by an account or an assigned user' },
];

export const CREATE_USER_ERRORS: ErrorRow[] = [
  ...USER_ERRORS,
  { status: 400, message: 'username is required', reason: 'likewise password, firstname, lastname' },
  ...PASSWORD_RULES,
  ...NAME_ROWS,
  { status: 400, message: 'username is invalid', reason: 'not 3 to 64 of A-Z a-z 0-9 . _ -' },
  { status: 409, message: 'Username already taken', reason: 'by an account or an assigned user, in any case' },
  { status: 409, message: 'At most 1000 users are allowed', reason: 'USERS_PER_ACCOUNT' },
];

export const CHANGE_USER_ERRORS: ErrorRow[] = [
  ...KNOWN_USER_ERRORS,
  { status: 400, message: 'is_active must be true or false', reason: 'something else' },
  { status: 400, message: 'firstname is invalid', reason: 'no text; likewise the others' },
  ...NAME_ROWS,
  ...PASSWORD_RULES,
];
