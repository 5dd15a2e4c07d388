import type { ErrorRow } from '../../../platform/http/index.js';

/** Errors of every admin route. */
export const ADMIN_ERRORS: ErrorRow[] = [
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid bearer token' },
  { status: 403, message: 'Forbidden', reason: 'not staff, or not allowed to this role' },
  { status: 429, message: 'Too many requests. Please try again later.', reason: 'over USER_RATE_LIMIT a minute' },
];

/** Errors of the routes that resellers use too. */
export const MANAGER_ERRORS: ErrorRow[] = [
  ...ADMIN_ERRORS,
  { status: 403, message: 'Permission denied', reason: 'the caller’s client_management is off' },
];

/** Errors of the routes below one account. */
export const ACCOUNT_ERRORS: ErrorRow[] = [
  ...MANAGER_ERRORS,
  { status: 404, message: 'Account not found', reason: 'unknown, or not a client of the reseller' },
];

const PASSWORD_ERRORS: ErrorRow[] = [
  { status: 400, message: 'Password must be at least 8 characters', reason: 'and the other rules of registration' },
];

const NO_MANAGER = 'parent_username must name a reseller, admin or super account';

const proofRows = (when: string): ErrorRow[] => [
  { status: 400, message: 'current_password is required', reason: `missing ${when}` },
  { status: 401, message: 'Invalid credentials', reason: 'current_password is another' },
  { status: 429, message: 'Too many requests. Please try again later.', reason: 'too many wrong passwords' },
];

export const CREATE_ACCOUNT_ERRORS: ErrorRow[] = [
  ...MANAGER_ERRORS,
  { status: 400, message: 'username is required', reason: 'likewise password, firstname, lastname' },
  { status: 400, message: 'user_type must be one of: super, admin, reseller, client', reason: 'another word' },
  { status: 400, message: 'is_active must be true or false', reason: 'something else' },
  ...PASSWORD_ERRORS,
  { status: 400, message: 'firstname must be at most 100 characters', reason: 'likewise lastname' },
  { status: 400, message: 'email is invalid', reason: 'not an address' },
  { status: 400, message: 'time_zone is invalid', reason: 'not an IANA name' },
  { status: 400, message: 'expires_at is invalid', reason: 'not a date' },
  { status: 409, message: 'Email already registered', reason: 'taken' },
  { status: 400, message: 'username is invalid', reason: 'not 3 to 64 of A-Z a-z 0-9 . _ -' },
  { status: 409, message: 'Username already taken', reason: 'taken' },
  { status: 400, message: 'mobile_no is invalid', reason: 'no digits, or more than 30' },
  { status: 409, message: 'Mobile number already registered', reason: 'taken' },
  { status: 400, message: 'parent_username is invalid', reason: 'no such account' },
  { status: 400, message: NO_MANAGER, reason: 'a plain client is nobody’s parent' },
  ...proofRows('to make a super account'),
];

export const CHANGE_ACCOUNT_ERRORS: ErrorRow[] = [
  ...ACCOUNT_ERRORS,
  { status: 403, message: 'Permission denied', reason: 'a setting without reseller_settings' },
  { status: 403, message: 'Forbidden', reason: 'one’s own user_type, the last super, staff without being super' },
  { status: 400, message: 'is_active must be true or false', reason: 'likewise the other switches' },
  { status: 400, message: 'user_type must be one of: super, admin, reseller, client', reason: 'another word' },
  { status: 400, message: 'permissions must be an object of true or false', reason: 'something else' },
  { status: 400, message: 'permissions.flying is invalid', reason: 'an unknown permission' },
  { status: 400, message: 'parent_username is invalid', reason: 'no such account' },
  { status: 400, message: NO_MANAGER, reason: 'a plain client is nobody’s parent' },
  {
    status: 400,
    message: 'parent_username must not be below the account itself',
    reason: 'the account itself, or one below it',
  },
  {
    status: 409,
    message: 'Account has clients',
    reason: 'staff made a client while accounts have it as parent: give them another parent first',
  },
  { status: 400, message: 'time_zone is invalid', reason: 'not an IANA name' },
  { status: 400, message: 'expires_at is invalid', reason: 'not a date' },
  ...PASSWORD_ERRORS,
  ...proofRows('in a change of a super account, or to one'),
];

export const ADJUST_CREDITS_ERRORS: ErrorRow[] = [
  ...ACCOUNT_ERRORS,
  { status: 400, message: 'balance must be one of: bulk_chat_credits, gsm_credits, …', reason: 'another word' },
  {
    status: 400,
    message: 'amount must be a whole number between -1000000000 and 1000000000, other than 0',
    reason: 'not',
  },
  { status: 400, message: 'note must be at most 255 characters', reason: 'too long' },
  {
    status: 400,
    message: 'Insufficient credits. Available: 3, Required: 5',
    reason: 'more than there is, or more than the reseller has granted to this client',
  },
];
