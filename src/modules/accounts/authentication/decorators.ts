import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiSecurity } from '@nestjs/swagger';
import type { DocumentedError } from '../../../kernel/define-error.js';
import { ApiErrorsOf } from '../../../platform/http/index.js';
import { accountErrors } from '../domain/account.errors.js';
import {
  ADMIN_METADATA,
  type AdminRules,
  AUTHENTICATION_METADATA,
  type AuthenticationRules,
  OPEN_METADATA,
  PATH_USERNAME_METADATA,
  tokenErrorsOf,
} from './rules.js';

/** Names of the security schemes in the OpenAPI document. */
export const SECURITY_SCHEMES = { bearer: 'bearer', cookie: 'cookie', v5: 'v5', apiKey: 'apiKey' } as const;

/**
 * The route needs an acting account (reference/authentication#what-each-route-takes). Default: token in the header or
 * API key, 401.
 * @param options see `AuthenticationRules`
 */
export function Authenticated(options: Partial<AuthenticationRules> = {}): MethodDecorator & ClassDecorator {
  const rules: AuthenticationRules = {
    cookie: false,
    apiKey: true,
    bodyUsername: false,
    failureStatus: 401,
    scheme: 'standard',
    ...options,
  };
  return applyDecorators(
    SetMetadata(AUTHENTICATION_METADATA, rules),
    rules.scheme === 'v5' ? ApiSecurity(SECURITY_SCHEMES.v5) : ApiBearerAuth(SECURITY_SCHEMES.bearer),
    ...(rules.apiKey ? [ApiSecurity(SECURITY_SCHEMES.apiKey)] : []),
    ...(rules.cookie ? [ApiCookieAuth(SECURITY_SCHEMES.cookie)] : []),
    ...(rules.bodyUsername ? [ApiSecurity({})] : []),
    ApiErrorsOf('authentication', ...tokenRows(rules)),
  );
}

/** The rows of a token that is refused: one text, told apart by their codes. */
function tokenRows(rules: AuthenticationRules): DocumentedError[] {
  const { invalid, keyNotTaken, tokenAsKey, invalidKey, ...others } = tokenErrorsOf(rules);
  return [
    invalid.because(reasonOf(rules)),
    ...Object.values(others),
    ...(rules.apiKey ? [tokenAsKey, invalidKey] : [keyNotTaken]),
  ];
}

/** When the token is refused, in words. */
function reasonOf({ apiKey, bodyUsername, cookie }: AuthenticationRules): string {
  const token = `no valid token in the header${cookie ? ' or the cookie' : ''}`;
  if (bodyUsername) return `${token}, no valid API key, and no usable username in the body`;
  return apiKey ? `${token}, and no valid API key` : `${token}; an API key is none`;
}

/**
 * The route is for staff: super and admin, by token in the header; every other account gets 403 `Forbidden`.
 * @param options `resellers`: they may use it for their own clients; `superOnly`: no other staff
 */
export function Admin(options: Partial<AdminRules> = {}): MethodDecorator & ClassDecorator {
  const rules: AdminRules = { resellers: false, superOnly: false, ...options };
  return applyDecorators(
    Authenticated({ apiKey: false }),
    SetMetadata(ADMIN_METADATA, rules),
    ApiErrorsOf('role', accountErrors.forbidden),
  );
}

/** The route takes no authentication, and why: shown by the house's tests. */
export const Open = (reason: string): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(OPEN_METADATA, reason), ApiSecurity({}));

/**
 * The path parameter (default `username`) must be the acting username, byte for byte:
 * reference/authentication#path-username.
 */
export const PathUsername = (parameter = 'username'): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(PATH_USERNAME_METADATA, parameter), ApiErrorsOf('path', accountErrors.pathUsername));
