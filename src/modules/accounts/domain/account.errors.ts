import {
  conflict,
  forbidden,
  invalid,
  notFound,
  unauthenticated,
  unavailable,
  atMost,
  atMostEntries,
} from '../../../kernel/errors.js';
import type { IdentityKind } from './identity.js';

const INVALID_TOKEN = 'Invalid Authorization token';
const DENIED = 'Permission denied';

/** 401 at the login, 400 elsewhere, where 401 would say that the token is not good. */
const INVALID_FACTOR = {
  code: 'second_factor_invalid',
  text: 'Invalid second factor',
  reason: 'a wrong or used code, or a passkey that does not fit',
} as const;

const takenErrors = {
  email: conflict('email_taken', 'Email already registered', 'by an account or an assigned user, in any case'),
  username: conflict('username_taken', 'Username already taken', 'by an account or an assigned user, in any case'),
  mobile: conflict('mobile_taken', 'Mobile number already registered', 'compared as digits'),
} satisfies Record<IdentityKind, unknown>;

/**
 * Errors of an unresolved token or key: one text; the code depends only on the request's form or our signature, so it reveals
 * no account. `kind`: 400 on the two chat endpoints, 401 elsewhere.
 */
export const tokenErrors = (kind: typeof unauthenticated) => ({
  invalid: kind('invalid_token', INVALID_TOKEN, 'a token that is not, or no longer, good').with({
    hint: 'Log in again: a token ends after 7 days, with a logout, and with a change of the password.',
  }),
  missing: kind('token_missing', INVALID_TOKEN, 'neither a token nor a key came along').with({
    hint: 'Send the token of the login as `Authorization: Bearer <token>`.',
  }),
  noBearer: kind('bearer_missing', INVALID_TOKEN, 'an `Authorization` that is not `Bearer <token>`').with({
    hint: 'Write the word `Bearer` and a space before the token: `Authorization: Bearer <token>`.',
  }),
  keyAsToken: kind('key_sent_as_token', INVALID_TOKEN, 'an API key in `Authorization`').with({
    hint: 'Send an API key in the header `X-API-Key`, without `Authorization`.',
  }),
  tokenAsKey: kind('token_sent_as_key', INVALID_TOKEN, 'a token in `X-API-Key`').with({
    hint: 'Send a token as `Authorization: Bearer <token>`; `X-API-Key` is for API keys (`swb_live_…`).',
  }),
  keyNotTaken: kind('key_not_taken', INVALID_TOKEN, 'an API key on a route that takes tokens only').with({
    hint: 'This route takes no API key: log in, and send the token as `Authorization: Bearer <token>`.',
  }),
  invalidKey: kind('invalid_key', INVALID_TOKEN, 'an API key that is not good here').with({
    hint: 'The key is unknown, revoked, expired, or has a list of addresses that does not name yours.',
  }),
  expired: kind('token_expired', INVALID_TOKEN, 'a token of ours whose 7 days are over').with({
    hint: 'Log in again for a new token.',
  }),
});

export const accountErrors = {
  missingCredentials: invalid(
    'missing_credentials',
    'Missing email_or_username or password',
    'a field is missing',
  ).with({ hint: 'Give both as texts.' }),
  invalidCredentials: unauthenticated(
    'invalid_credentials',
    'Invalid credentials',
    'no such account or wrong password',
  ).with({ hint: 'See the spelling: usernames are compared letter by letter.' }),
  inactive: unauthenticated('account_inactive', 'Account is inactive', 'account not active').with({
    hint: 'Ask your administrator to open the account.',
  }),
  expired: unauthenticated(
    'account_expired',
    'Account expired. Please contact your administrator.',
    'expiry date passed',
  ),
  secondFactorRequired: unauthenticated(
    'second_factor_required',
    'Second factor required',
    'the password is right, and the login has a second factor',
  ).with({
    hint: 'Send the login again with `otp`, a code of your app or a recovery code, or with `passkey`, the answer of the browser.',
  }),
  secondFactorInvalid: unauthenticated(INVALID_FACTOR.code, INVALID_FACTOR.text, INVALID_FACTOR.reason),
  wrongFactor: invalid(INVALID_FACTOR.code, INVALID_FACTOR.text, INVALID_FACTOR.reason),
  secondFactorMissing: forbidden(
    'second_factor_missing',
    'Set up a second factor first',
    'the login must have a second factor, and has none',
  ).with({
    hint: 'Begin with POST /v6/api/account/second-factor/totp, or on the page Sign-in of the web application.',
  }),
  confirmationRequired: forbidden(
    'confirmation_required',
    'Confirm that it is you',
    'a login with a second factor, more than 10 minutes after it was shown',
  ).with({ hint: 'POST /v6/api/account/confirmation with your password, a code or a passkey, then send this again.' }),
  oidcOff: notFound('oidc_off', 'There is no login by an identity provider', 'OIDC_ISSUER is not set'),
  totpThere: conflict('totp_there', 'An authenticator app is set up already', 'remove it first'),
  passkeysUnavailable: conflict(
    'passkeys_unavailable',
    'Passkeys need a domain name',
    'PUBLIC_URL is not set, or holds an address',
  ),
  factorNotFound: notFound('second_factor_not_found', 'Second factor not found', 'unknown, or another login’s'),
  factorNeeded: conflict(
    'second_factor_needed',
    'The last second factor cannot be removed',
    'the login must have one (REQUIRE_SECOND_FACTOR)',
  ).with({ hint: 'Add another one first.' }),
  tooManyPasskeys: conflict('too_many_of', (most: number) => atMost(most, 'passkeys'), 'of one login'),
  invalidToken: tokenErrors(unauthenticated).invalid,
  pathUsername: unauthenticated(
    'path_username',
    'Route username does not match authenticated user',
    'path and token usernames differ',
  ).with({ field: 'username', hint: 'Write the username of the token into the path.' }),
  registrationClosed: forbidden(
    'registration_closed',
    'Registration is closed',
    'the operator closed it (REGISTRATION=off)',
  ),
  disposableEmail: invalid(
    'email_disposable',
    'email is of a disposable domain',
    'REGISTRATION=verified takes no mailboxes for one hour',
  ).with({ field: 'email', hint: 'Give the address of a mailbox that lasts.' }),
  proofDue: forbidden(
    'proof_due',
    'Prove your telephone number or e-mail address first',
    'a registered account that has not (REGISTRATION=verified)',
  ).with({ hint: 'POST /v6/api/account/proof sends a code, POST /v6/api/account/proof/check takes it.' }),
  forbidden: forbidden('forbidden', 'Forbidden', 'not staff, or not allowed to this role').with({
    hint: 'This needs the token of staff, or of another role.',
  }),
  missingRight: forbidden(
    'missing_right',
    DENIED,
    'the role of the person, or the scopes of the key, do not include this',
  ).with({ hint: 'Ask the owner of the account for another role, or for a key with another scope.' }),
  permissionDenied: forbidden('permission_denied', DENIED, 'the caller’s client_management is off'),
  closedByStaff: forbidden(
    'closed_by_staff',
    'Account was closed by staff',
    'a reseller, for a client that staff closed',
  ).with({ hint: 'Only staff open it again: ask the operator.' }),
  setByStaff: forbidden(
    'set_by_staff',
    (field: string) => `${field} was set by staff`,
    'staff set this field: only they change it',
  ).with({ field: (field: string) => field, hint: 'Ask the operator to change it, or to give the field back.' }),
  staffOnly: forbidden(
    'staff_only',
    (field: string) => `${field} is set by staff only`,
    'a reseller sets no `require_*` and no `refund_*`',
  ).with({ field: (field: string) => field, hint: 'Ask the operator to change it.' }),
  notFound: notFound('account_not_found', 'Account not found', 'unknown, or not a client of the reseller'),
  userNotFound: notFound('user_not_found', 'User not found', 'unknown, or another account’s'),
  sessionNotFound: notFound('session_not_found', 'Session not found', 'unknown, over, or another login’s'),
  linkInvalid: notFound(
    'link_invalid',
    'This link is not valid',
    'unknown, used, withdrawn or expired, or its maker or its login has changed since',
  ).with({ hint: 'Ask who sent the link for another one.' }),
  linkNotFound: notFound('link_not_found', 'Link not found', 'the login has no link that is good'),
  notYourself: forbidden('not_yourself', DENIED, 'the own role, and removing or deactivating oneself'),
  higherRole: forbidden('higher_role', DENIED, 'a role with more rights than who gives it has'),
  apiKeyNotFound: notFound('api_key_not_found', 'API key not found', 'unknown, revoked, or another account’s'),
  tooManyApiKeys: conflict('too_many_of', (most: number) => atMost(most, 'API keys'), 'API_KEYS_PER_ACCOUNT'),
  tooManyUsers: conflict('too_many_of', (most: number) => atMost(most, 'users'), 'USERS_PER_ACCOUNT'),
  ipRange: invalid(
    'ip_range',
    (field: string, index: number) => `${field}[${index}] is not an IP address or range`,
    'neither IPv4 nor IPv6 nor CIDR',
  ).with({
    field: (field: string) => field,
    hint: 'Write an address or a range such as 203.0.113.0/24 or 2001:db8::/32.',
  }),
  tooManyIpRanges: invalid('too_many_ip_ranges', atMostEntries, 'more').with({
    field: (field: string) => field,
    hint: 'Put neighbours into one range.',
  }),
  noManager: invalid(
    'parent_no_manager',
    'parent_username must name a reseller, admin or super account',
    'a plain client is never a parent',
  ),
  parentCircle: invalid(
    'parent_circle',
    'parent_username must not be below the account itself',
    'the account itself, or one below it',
  ),
  hasClients: conflict(
    'account_has_clients',
    'Account has clients',
    'staff made a client while accounts have it as parent: give them another parent first',
  ),
  directoryAway: unavailable(
    'directory_away',
    'The directory of accounts does not answer',
    'in a cell: without the directory no name is given away',
  ),
  taken: takenErrors,
};
