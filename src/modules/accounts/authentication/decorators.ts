import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { type DocumentedError, invalid, unauthenticated } from '../../../kernel/errors.js';
import { ApiErrorsOf } from '../../../platform/http/index.js';
import { accountErrors, tokenErrors } from '../domain/account.errors.js';
import type { Account } from '../domain/account.js';

/** Who acts in a request, and by which proof. */
export interface Actor {
  account: Account;
  via: 'header' | 'cookie' | 'key' | 'body';
}

/** A token or an API key as it came. */
export interface PresentedToken {
  token: string;
  via: 'header' | 'cookie' | 'key';
}

/** A request on its way through authentication. */
export interface AuthenticatedRequest extends Request {
  /** set by `AuthenticationGuard`; limits and logs read the username from it */
  actor?: Actor;
  presentedToken?: PresentedToken;
}

/** The acting account of the request: `@CurrentActor() actor: Actor`. Only on `@Authenticated` and `@Admin` routes. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!actor) throw new Error('CurrentActor on a route without @Authenticated or @Admin');
  return actor;
});

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
