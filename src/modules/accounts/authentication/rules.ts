import { invalid, unauthenticated } from '../../../kernel/define-error.js';
import { tokenErrors } from '../domain/account.errors.js';

/** How a route wants its caller authenticated. Written by the decorators, read by the guards and by the house's tests. */
export interface AuthenticationRules {
  /** takes the `auth_token` cookie beside the header */
  cookie: boolean;
  /** takes an API key in `X-API-Key` where a token in the header would stand */
  apiKey: boolean;
  /** takes `username` in the body instead of a token: the two broadcasts */
  bodyUsername: boolean;
  /** status of `Invalid Authorization token`: 400 on chat and chatTemplate, 401 elsewhere */
  failureStatus: 400 | 401;
  /** v5 takes the bare token in the header */
  scheme: 'standard' | 'v5';
}

const ERRORS = { 400: tokenErrors(invalid), 401: tokenErrors(unauthenticated) };

/** What a request without a valid token is answered. */
export const tokenErrorsOf = ({ failureStatus }: Pick<AuthenticationRules, 'failureStatus'>): TokenErrors =>
  ERRORS[failureStatus];

export type TokenErrors = ReturnType<typeof tokenErrors>;

/** Metadata: `AuthenticationRules` of an authenticated route. */
export const AUTHENTICATION_METADATA = 'switchboard:authentication';

/** Metadata: why a route takes no authentication. */
export const OPEN_METADATA = 'switchboard:open';

/** Metadata: name of the path parameter that must be the acting username. */
export const PATH_USERNAME_METADATA = 'switchboard:path-username';

/** Who of the staff may use an admin route. */
export interface AdminRules {
  /** resellers too, for their own clients */
  resellers: boolean;
  superOnly: boolean;
}

/** Metadata: `AdminRules` of an admin route. */
export const ADMIN_METADATA = 'switchboard:admin';
