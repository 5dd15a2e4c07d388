import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiQuery, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { type DocumentedError, invalid, unauthenticated } from '../../../kernel/errors.js';
import { ApiErrorsOf } from '../../../platform/http/index.js';
import { accountErrors, tokenErrors } from '../domain/account.errors.js';
import { type Account, isTesting } from '../domain/account.js';
import type { Right } from '../domain/rights.js';

/** The acting account of a request, and the kind of its proof. */
export interface Actor {
  account: Account;
  via: 'header' | 'cookie' | 'key' | 'body';
}

export interface PresentedToken {
  token: string;
  via: 'header' | 'cookie' | 'key';
}

export interface AuthenticatedRequest extends Request {
  actor?: Actor;
  presentedToken?: PresentedToken;
}

/** Injects the actor; only on `@Authenticated` and `@Admin` routes. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!actor) throw new Error('CurrentActor on a route without @Authenticated or @Admin');
  return actor;
});

/** Authentication of a route, read by the guards and by tests. */
export interface AuthenticationRules {
  cookie: boolean;
  apiKey: boolean;
  /** accepts `username` in the body instead of a token: the two broadcasts */
  bodyUsername: boolean;
  /** status of `Invalid Authorization token`: 400 on chat and chatTemplate, 401 elsewhere */
  failureStatus: 400 | 401;
  /** `v5` accepts a bare token in the header */
  scheme: 'standard' | 'v5';
}

const ERRORS = { 400: tokenErrors(invalid), 401: tokenErrors(unauthenticated) };

export const tokenErrorsOf = ({ failureStatus }: Pick<AuthenticationRules, 'failureStatus'>): TokenErrors =>
  ERRORS[failureStatus];

export type TokenErrors = ReturnType<typeof tokenErrors>;

export const AUTHENTICATION_METADATA = 'switchboard:authentication';

export const OPEN_METADATA = 'switchboard:open';

export const PATH_USERNAME_METADATA = 'switchboard:path-username';

/** The accounts that may use an admin route. */
export interface AdminRules {
  resellers: boolean;
  superOnly: boolean;
}

export const ADMIN_METADATA = 'switchboard:admin';

const SECURITY_SCHEMES = { bearer: 'bearer', cookie: 'cookie', v5: 'v5', apiKey: 'apiKey' } as const;

/** Requires an acting account, by default by token or key with 401 (reference/authentication#what-each-route-takes). */
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
    ApiErrorsOf('session', accountErrors.secondFactorMissing),
    ApiErrorsOf('right', accountErrors.missingRight, accountErrors.proofDue),
  );
}

function tokenRows(rules: AuthenticationRules): DocumentedError[] {
  const { invalid, keyNotTaken, tokenAsKey, invalidKey, ...others } = tokenErrorsOf(rules);
  return [
    invalid.because(reasonOf(rules)),
    ...Object.values(others),
    ...(rules.apiKey ? [tokenAsKey, invalidKey] : [keyNotTaken]),
  ];
}

function reasonOf({ apiKey, bodyUsername, cookie }: AuthenticationRules): string {
  const token = `no valid token in the header${cookie ? ' or the cookie' : ''}`;
  if (bodyUsername) return `${token}, no valid API key, and no usable username in the body`;
  return apiKey ? `${token}, and no valid API key` : `${token}; an API key is none`;
}

/** Requires staff by header token, else 403 `Forbidden`; `resellers` also admits those, `superOnly` excludes admin. */
export function Admin(options: Partial<AdminRules> = {}): MethodDecorator & ClassDecorator {
  const rules: AdminRules = { resellers: false, superOnly: false, ...options };
  return applyDecorators(
    Authenticated({ apiKey: false }),
    SetMetadata(ADMIN_METADATA, rules),
    ApiErrorsOf('role', accountErrors.forbidden),
  );
}

export const LIMITED_METADATA = 'switchboard:limited-sessions';

/** Admits logins that must set up a second factor first: the routes for that alone. */
export const ForLimitedSessions = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(LIMITED_METADATA, true), ApiErrorsOf('session'));

export const CONFIRMED_METADATA = 'switchboard:confirmed';

/** `factor`: asked of logins with a second factor; `enrolment`: of every login, since it may be a stolen token's. */
export type ConfirmationRule = 'factor' | 'enrolment';

/** Requires that password or factor were shown within 10 minutes (reference/authentication#confirmation). */
export const Confirmed = (rule: ConfirmationRule = 'factor'): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(CONFIRMED_METADATA, rule),
    ApiErrorsOf('confirmation', accountErrors.confirmationRequired),
  );

export const NEEDS_METADATA = 'switchboard:needs';

/** Declares the rights of which a route needs one (`domain/rights`). */
export const Needs = (...rights: [Right, ...Right[]]): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(NEEDS_METADATA, rights),
    ApiErrorsOf('right', ...(rights.includes('self') ? [] : [accountErrors.missingRight, accountErrors.proofDue])),
  );

/**
 * The rights of which a route needs one. Without `@Needs`, reading needs `read`, a change by staff `manage`, and any other change is
 * refused to all.
 */
export function neededRights(
  declared: readonly Right[] | undefined,
  method: string,
  isAdmin: boolean,
): readonly Right[] {
  if (declared) return declared;
  if (method === 'GET' || method === 'HEAD') return ['read'];
  return isAdmin ? ['manage'] : [];
}

export const TEST_KEYS_METADATA = 'switchboard:test-keys';

/** Opens a route to test keys (own/keys#test-keys): it sends, or reads and changes what test keys have sent. Others refuse them. */
export const TestKeys = (): MethodDecorator & ClassDecorator => SetMetadata(TEST_KEYS_METADATA, true);

/** Documents the filter `test` of a list, read by `wantsTests`. */
export const TestQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'test',
    required: false,
    enum: ['true', 'false'],
    description: '`true`: what was sent with test keys. Absent: what was sent live; with a test key always tests',
  });

/** Whether a list shows tests. */
export const wantsTests = (query: Readonly<Record<string, unknown>>, account: Account): boolean =>
  isTesting(account) || query['test'] === 'true';

/** Marks a route without authentication; tests list the reason. */
export const Open = (reason: string): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(OPEN_METADATA, reason), ApiSecurity({}));

/** Requires the path parameter to equal the acting username, byte for byte (reference/authentication#path-username). */
export const PathUsername = (parameter = 'username'): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(PATH_USERNAME_METADATA, parameter), ApiErrorsOf('path', accountErrors.pathUsername));
