import { type CanActivate, type ExecutionContext, Inject, Injectable, Logger } from '@nestjs/common';
import { TokenExpiredError } from '@nestjs/jwt';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { AppError } from '../../../kernel/errors.js';
import { readText } from '../../../kernel/text.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { Bodies, fromForm, isCompressed } from '../../../platform/http/index.js';
import { AddressLimits, clientIp, isInIpRanges, RouteRules, tokenKey } from '../../../platform/security/index.js';
import { AccountDirectory } from '../accounts.store.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, needsToken, roleOf } from '../domain/account.js';
import { isOrdinaryToken } from '../domain/tokens.js';
import { AccessTokens, ApiKeys, presentedToken, tokenFaultOf } from './access-tokens.js';
import {
  ADMIN_METADATA,
  type AdminRules,
  type AuthenticatedRequest,
  AUTHENTICATION_METADATA,
  type AuthenticationRules,
  PATH_USERNAME_METADATA,
  type PresentedToken,
  tokenErrorsOf,
} from './decorators.js';

const NAME = 'open-miss';

/**
 * Guards open look-ups against guessing: 60 misses a minute per address over all of them (OPEN_MISS_LIMIT,
 * reference/requests#limits): reports, templates, public look-ups and usernames in bodies. What is found costs nothing.
 */
@Injectable()
export class OpenMisses {
  private readonly limit: number;

  constructor(
    private readonly addresses: AddressLimits,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.limit = environment.OPEN_MISS_LIMIT;
  }

  /**
   * Runs a look-up for an address and counts its miss (404).
   * @throws AppError too_many beyond the limit, also for the guesses that were under way when it was reached
   */
  async guard<T>(ip: string, lookUp: () => Promise<T>): Promise<T> {
    await this.refuseBlocked(ip);
    try {
      return await lookUp();
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') await this.count(ip);
      throw error;
    }
  }

  /** @throws AppError too_many for an address that has used up its misses */
  refuseBlocked(ip: string): Promise<void> {
    return this.addresses.refuseBlocked(NAME, ip, this.limit);
  }

  /** Counts a miss. @throws AppError too_many when it is one too many */
  count(ip: string): Promise<void> {
    return this.addresses.count(NAME, ip, this.limit);
  }
}

/**
 * What a `username` in the body of a broadcast means: the account that acts without a token, `'token'` = the account's
 * own token must prove it, null = none was given.
 */
export type BodyUsername = { kind: 'open' | 'token'; account: Account } | null;

/**
 * The two broadcasts take `username` in the body instead of a token (reference/authentication#username-in-the-body).
 * Never for staff; `ALLOW_BODY_USERNAME`, the account's `require_token` and its owner's choice close it, and then only a
 * token of that same account counts.
 */
@Injectable()
export class BodyUsernames {
  private readonly logger = new Logger('BodyUsername');

  constructor(
    private readonly directory: AccountDirectory,
    private readonly misses: OpenMisses,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** To be called before a body is read that alone may say who sends it. @throws AppError 429 */
  refuseBlocked(ip: string): Promise<void> {
    return this.misses.refuseBlocked(ip);
  }

  /** @throws AppError 401 for a name that may not act, 429 for an address with too many unknown ones, parallel ones too */
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

  /** Staff or the owner closed it, for all or for this address. */
  private needsToken(account: Account, ip: string): boolean {
    const { bodyUsernameAddresses: addresses } = account.security;
    return needsToken(account) || (addresses.length > 0 && !isInIpRanges(ip, addresses));
  }
}

/**
 * On every route that wants it (global, the first of three): establishes who acts and puts that on the request as `actor`: by username in the body where the route takes it,
 * otherwise by token or API key. Bodies are read after it, but for those of that route. Then compares the username of the path. Nothing is read from the database while the directory
 * remembers the account.
 */
@Injectable()
export class AuthenticationGuard extends AuthGuard('jwt') {
  private readonly rules = new RouteRules<AuthenticationRules>(AUTHENTICATION_METADATA);
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

  /** passport's answer: an error is ours (the database …), no user is the client's. */
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

  /** The head is judged first: the body of a caller whom it proves may be larger, and compressed. */
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
    // a bad token is a better reason than a body that only a good one could have brought
    if (
      proven instanceof AppError &&
      isCompressed(request.headers) &&
      presentedToken(request, rules, this.environment)
    ) {
      throw proven;
    }
    await this.bodies.read(request, account?.username ?? null);
    const named = await this.bodyUsernames.read(request);
    if (named?.kind === 'open') {
      request.actor = { account: named.account, via: 'body' };
      return;
    }
    // who names an account is told no more than who names one that does not exist
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
    request.actor = { account, via: presented.via };
    return account;
  }

  private async accountOf(
    context: ExecutionContext,
    request: AuthenticatedRequest,
    presented: PresentedToken,
  ): Promise<Account | null> {
    if (presented.via === 'key') return this.apiKeys.authenticate(presented.token, clientIp(request));
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

/** Lets staff alone pass where a route is theirs; global, the second of three. The role comes from the database (through the directory), never from the token. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly rules = new RouteRules<AdminRules>(ADMIN_METADATA);

  canActivate(context: ExecutionContext): boolean {
    const rules = this.rules.of(context);
    if (!rules) return true;
    const userType = context.switchToHttp().getRequest<AuthenticatedRequest>().actor?.account.userType;
    const allowed =
      userType === 'super' ||
      (!rules.superOnly && (userType === 'admin' || (rules.resellers && userType === 'reseller')));
    if (!allowed) throw accountErrors.forbidden();
    return true;
  }
}

/** Verifies the token that `AuthenticationGuard` found: signature (HS256 alone) and expiry, then claims and account. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly tokens: AccessTokens,
  ) {
    super({
      jwtFromRequest: ({ presentedToken }: AuthenticatedRequest) =>
        presentedToken && isOrdinaryToken(presentedToken.token) ? presentedToken.token : null,
      algorithms: ['HS256'],
      passReqToCallback: true,
      // passport-jwt hands the key to jsonwebtoken as it is; its types know only texts and buffers, which jsonwebtoken
      // would try to read as a public key on every request
      secretOrKey: tokenKey(environment) as unknown as Buffer,
    });
  }

  /** @returns the acting account, or null for a token that is not valid now */
  validate({ presentedToken }: AuthenticatedRequest, payload: unknown): Promise<Account | null> {
    return this.tokens.accountOf(presentedToken?.token ?? '', payload);
  }
}
