import { type CanActivate, type ExecutionContext, Inject, Injectable, Logger } from '@nestjs/common';
import { TokenExpiredError } from '@nestjs/jwt';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { now } from '../../../kernel/clock.js';
import { AppError } from '../../../kernel/errors.js';
import { readText } from '../../../kernel/text.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { Bodies, fromForm, isCompressed, TEST_WARNING, warnExact } from '../../../platform/http/index.js';
import { AddressLimits, clientIp, isInIpRanges, RouteRules, tokenKeys } from '../../../platform/security/index.js';
import { AccountDirectory } from '../accounts.store.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, isTesting, needsToken, roleOf, loginOf } from '../domain/account.js';
import { assertRight, type Right } from '../domain/rights.js';
import { SessionStore } from '../sessions/sessions.store.js';
import { isOrdinaryToken } from '../domain/tokens.js';
import { AccessTokens, ApiKeys, presentedToken, tokenFaultOf } from './access-tokens.js';
import {
  ADMIN_METADATA,
  type AdminRules,
  type AuthenticatedRequest,
  AUTHENTICATION_METADATA,
  CONFIRMED_METADATA,
  type ConfirmationRule,
  LIMITED_METADATA,
  type AuthenticationRules,
  NEEDS_METADATA,
  neededRights,
  PATH_USERNAME_METADATA,
  TEST_KEYS_METADATA,
  type PresentedToken,
  tokenErrorsOf,
} from './decorators.js';

const NAME = 'open-miss';

/** Limits 404s of all open lookups per address (OPEN_MISS_LIMIT a minute, reference/requests#limits) against guessing. */
@Injectable()
export class OpenMisses {
  private readonly limit: number;

  constructor(
    private readonly addresses: AddressLimits,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.limit = environment.OPEN_MISS_LIMIT;
  }

  /** Counts a lookup's 404. @throws AppError too_many beyond the limit, also for parallel guesses */
  async guard<T>(ip: string, lookUp: () => Promise<T>): Promise<T> {
    await this.refuseBlocked(ip);
    try {
      return await lookUp();
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') await this.count(ip);
      throw error;
    }
  }

  /** @throws AppError too_many for an address at its limit */
  refuseBlocked(ip: string): Promise<void> {
    return this.addresses.refuseBlocked(NAME, ip, this.limit);
  }

  /** Counts a miss. @throws AppError too_many beyond the limit */
  count(ip: string): Promise<void> {
    return this.addresses.count(NAME, ip, this.limit);
  }
}

/** `open`: the account acts without a token; `token`: its own token must prove it; null = none given. */
export type BodyUsername = { kind: 'open' | 'token'; account: Account } | null;

/**
 * Accepts `username` in a broadcast's body (reference/authentication#username-in-the-body), never for staff.
 * `ALLOW_BODY_USERNAME`, `require_token` or the owner's choice require that account's own token instead.
 */
@Injectable()
export class BodyUsernames {
  private readonly logger = new Logger('BodyUsername');

  constructor(
    private readonly directory: AccountDirectory,
    private readonly misses: OpenMisses,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Call before reading a body that is the only proof. @throws AppError 429 */
  refuseBlocked(ip: string): Promise<void> {
    return this.misses.refuseBlocked(ip);
  }

  /** @throws AppError 401 for a name that may not act, 429 for an address with too many unknown names */
  async read(request: AuthenticatedRequest): Promise<BodyUsername> {
    const read = readText(fromForm(request.body)['username']);
    if (read.kind === 'empty') return null;
    if (read.kind === 'fault') throw accountErrors.invalidToken();
    const ip = clientIp(request);
    await this.misses.refuseBlocked(ip);
    const account = await this.directory.byUsername(read.value);
    if (!account) {
      await this.misses.count(ip);
      throw accountErrors.invalidToken();
    }
    if (roleOf(account.userType) !== 'user' || !this.directory.usable(account)) throw accountErrors.invalidToken();
    if (!this.environment.ALLOW_BODY_USERNAME || this.needsToken(account, ip)) return { kind: 'token', account };
    this.logger.log({ username: account.username, ip, path: request.path }, 'acts by body username');
    return { kind: 'open', account };
  }

  private needsToken(account: Account, ip: string): boolean {
    const { bodyUsernameAddresses: addresses } = account.security;
    return needsToken(account) || (addresses.length > 0 && !isInIpRanges(ip, addresses));
  }
}

/**
 * First of three global guards: sets `actor` from the body's username, token or API key, then compares the path's username.
 * Reads only the account cache, and bodies only for routes that accept a username there.
 */
@Injectable()
export class AuthenticationGuard extends AuthGuard('jwt') {
  private readonly rules = new RouteRules<AuthenticationRules>(AUTHENTICATION_METADATA);
  private readonly limited = new RouteRules<boolean>(LIMITED_METADATA);
  private readonly pathUsernames = new RouteRules<string>(PATH_USERNAME_METADATA);

  constructor(
    private readonly bodyUsernames: BodyUsernames,
    private readonly apiKeys: ApiKeys,
    private readonly tokens: AccessTokens,
    private readonly bodies: Bodies,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rules = this.rules.of(context);
    if (!rules) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (rules.bodyUsername) await this.byTokenOrBody(context, request, rules);
    else await this.byToken(context, request, rules);
    this.comparePath(context, request);
    return true;
  }

  /** Rethrows internal errors (such as the database's); a missing user is the client's error. */
  override handleRequest<User = Account>(
    error: unknown,
    user: User | false | null,
    problem: unknown,
    context: ExecutionContext,
  ): User {
    if (error) throw error instanceof Error ? error : new Error('Authentication failed', { cause: error });
    const rules = this.rules.of(context);
    if (!rules) throw new Error('passport was asked on a route without @Authenticated');
    if (user) return user;
    if (problem instanceof TokenExpiredError) throw tokenErrorsOf(rules).expired();
    throw failure(context.switchToHttp().getRequest<AuthenticatedRequest>(), rules);
  }

  /** Checks the headers first: an authenticated caller may send a larger or compressed body. */
  private async byTokenOrBody(
    context: ExecutionContext,
    request: AuthenticatedRequest,
    rules: AuthenticationRules,
  ): Promise<void> {
    const proven = await this.byToken(context, request, rules).catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    });
    const account = proven instanceof AppError ? null : proven;
    if (!account) await this.bodyUsernames.refuseBlocked(clientIp(request));
    // the invalid token is a better reason than a body that requires a valid one
    if (
      proven instanceof AppError &&
      isCompressed(request.headers) &&
      presentedToken(request, rules, this.environment)
    ) {
      throw proven;
    }
    await this.bodies.read(request, account?.username ?? null);
    const named = await this.bodyUsernames.read(request);
    // beside a token of the same account, the rights of the token count
    if (named?.kind === 'open' && named.account.id !== account?.id) {
      request.actor = { account: named.account, via: 'body' };
      return;
    }
    // the answer must not reveal whether a named account exists
    if (proven instanceof AppError) throw named && isRefusal(proven) ? tokenErrorsOf(rules).invalid() : proven;
    if (named && named.account.id !== proven.id) throw tokenErrorsOf(rules).invalid();
  }

  private async byToken(
    context: ExecutionContext,
    request: AuthenticatedRequest,
    rules: AuthenticationRules,
  ): Promise<Account> {
    const presented = presentedToken(request, rules, this.environment);
    if (!presented) throw failure(request, rules);
    const account = await this.accountOf(context, request, presented);
    if (!account) throw failure(request, rules);
    if (account.session?.isLimited && !this.limited.of(context)) throw accountErrors.secondFactorMissing();
    request.actor = { account, via: presented.via };
    return account;
  }

  private async accountOf(
    context: ExecutionContext,
    request: AuthenticatedRequest,
    presented: PresentedToken,
  ): Promise<Account | null> {
    if (presented.via === 'key') {
      return this.apiKeys.authenticate(presented.token, clientIp(request));
    }
    request.presentedToken = presented;
    const remembered = await this.tokens.remembered(presented.token);
    if (remembered !== undefined) return remembered;
    await super.canActivate(context);
    return request.user as Account;
  }

  private comparePath(context: ExecutionContext, request: AuthenticatedRequest): void {
    const parameter = this.pathUsernames.of(context);
    if (parameter !== undefined && request.params[parameter] !== request.actor?.account.username) {
      throw accountErrors.pathUsername();
    }
  }
}

const failure = (request: AuthenticatedRequest, rules: AuthenticationRules): AppError =>
  tokenErrorsOf(rules)[tokenFaultOf(request, rules)]();

const isRefusal = ({ kind }: AppError): boolean => kind === 'unauthenticated';

const CONFIRMED_MS = 10 * 60_000;

/** Asks who is there again before what a stolen token must not do (reference/authentication#confirmation). */
@Injectable()
export class Confirmations {
  constructor(private readonly sessions: SessionStore) {}

  /**
   * `factor`: passes logins without a second factor here or at an identity provider, and keys, which are secrets of their own.
   * @throws AppError forbidden `Confirm that it is you`
   */
  async assert(account: Account, rule: ConfirmationRule = 'factor'): Promise<void> {
    const { session } = account;
    const isAsked = session && (session.isByProvider || loginOf(account).hasSecondFactor);
    if (rule === 'factor' && !isAsked) return;
    if (!session) throw accountErrors.confirmationRequired();
    const since = now().getTime() - CONFIRMED_MS;
    if (session.confirmedAt > since || (await this.sessions.confirmedAt(session.id)) > since) return;
    throw accountErrors.confirmationRequired();
  }
}

/** Second of three global guards: admits staff, then who has the right that the route needs. Roles come from the database, never from the token. */
@Injectable()
export class RightsGuard implements CanActivate {
  private readonly rules = new RouteRules<AdminRules>(ADMIN_METADATA);
  private readonly needs = new RouteRules<readonly Right[]>(NEEDS_METADATA);
  private readonly confirmed = new RouteRules<ConfirmationRule>(CONFIRMED_METADATA);
  private readonly tests = new RouteRules<true>(TEST_KEYS_METADATA);

  constructor(private readonly confirmations: Confirmations) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { actor, method } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const rules = this.rules.of(context);
    if (rules) assertStaff(rules, actor?.account.userType);
    if (!actor) return true;
    assertRight(actor.account, ...neededRights(this.needs.of(context), method, rules !== undefined));
    const confirmation = this.confirmed.of(context);
    if (confirmation) await this.confirmations.assert(actor.account, confirmation);
    if (!isTesting(actor.account)) return true;
    if (!this.tests.of(context)) throw accountErrors.missingRight().helping({ hint: TESTS_ONLY });
    warnExact(context, TEST_WARNING);
    return true;
  }
}

const TESTS_ONLY = 'A test key sends tests, and reads what test keys have sent: use a live key.';

function assertStaff(rules: AdminRules, userType: string | null | undefined): void {
  const allowed =
    userType === 'super' ||
    (!rules.superOnly && (userType === 'admin' || (rules.resellers && userType === 'reseller')));
  if (!allowed) throw accountErrors.forbidden();
}

/** Verifies the signature (HS256 only) and expiry, then claims and account. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly tokens: AccessTokens,
  ) {
    const keyFor = tokenKeys(environment);
    super({
      jwtFromRequest: ({ presentedToken }: AuthenticatedRequest) =>
        presentedToken && isOrdinaryToken(presentedToken.token) ? presentedToken.token : null,
      algorithms: ['HS256'],
      passReqToCallback: true,
      // passport-jwt passes the key to jsonwebtoken; its types lack KeyObject, but a buffer is parsed as public key per request
      secretOrKeyProvider: (_, token: string, done) => done(null, keyFor(token) as unknown as Buffer),
    });
  }

  validate({ presentedToken }: AuthenticatedRequest, payload: unknown): Promise<Account | null> {
    return this.tokens.accountOf(presentedToken?.token ?? '', payload);
  }
}
