import { type KeyObject, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type JwtModuleOptions, JwtService } from '@nestjs/jwt';
import type { CookieOptions, Request, Response } from 'express';
import { now } from '../../../kernel/clock.js';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT, publicPath } from '../../../platform/config/index.js';
import { AddressLimits, clientIp, isInIpRanges, tokenKey, tokenKeys } from '../../../platform/security/index.js';
import { ApiKeyStore, ApiKeyUses } from '../access/api-keys.store.js';
import { AssignedUsers } from '../access/users.store.js';
import { AccountDirectory } from '../accounts.store.js';
import { type Account, loginOf } from '../domain/account.js';
import { mustHaveSecondFactor } from '../domain/account-policy.js';
import { hasRight } from '../domain/rights.js';
import {
  claimsFor,
  isApiKey,
  isOrdinaryToken,
  looksLikeApiKey,
  isOutdated,
  readClaims,
  type ReadToken,
} from '../domain/tokens.js';
import type { Client } from '../sessions/device.js';
import { type ProvidedLogin, SessionStore } from '../sessions/sessions.store.js';
import { RevokedTokens } from './authentication.store.js';
import type { AuthenticationRules, PresentedToken, TokenErrors } from './decorators.js';

/** Resolves API keys to accounts (reference/authentication#api-keys). */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly directory: AccountDirectory,
    private readonly addresses: AddressLimits,
    private readonly uses: ApiKeyUses,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Finds a key's account, usable or not, without counting. Returns null for an unknown or revoked key or a foreign `ip`. */
  async find(key: string, ip: string): Promise<Account | null> {
    if (!isApiKey(key)) return null;
    const stored = await this.store.find(key);
    if (!stored || (stored.expiresAt !== null && stored.expiresAt <= now())) return null;
    if (stored.allowedIps.length > 0 && !isInIpRanges(ip, stored.allowedIps)) return null;
    const account = await this.directory.byId(stored.accountId);
    if (account && this.directory.usable(account)) this.store.touch(stored);
    const { id, name, prefix, isTest, scopes, maxPerDay } = stored;
    return account && { ...account, apiKey: { id, name, prefix, isTest, scopes, maxPerDay } };
  }

  /** Counts a request with a key that has a daily limit. @throws AppError too_many beyond it */
  async countUse({ apiKey }: Pick<Account, 'apiKey'>): Promise<void> {
    if (!apiKey || apiKey.maxPerDay === null) return;
    await this.uses.count(apiKey.id, apiKey.maxPerDay);
  }

  /**
   * Authenticates a key; null = invalid. Limits only misses per address: 256 bits cannot be guessed, so a valid key always
   * passes. @throws AppError too_many beyond IP_FAILURE_LIMIT, or the daily limit of the key
   */
  async authenticate(key: string, ip: string): Promise<Account | null> {
    const account = await this.find(key, ip);
    if (account && this.directory.usable(account)) {
      await this.countUse(account);
      return account;
    }
    await this.addresses.count('api-key-misses', ip, this.environment.IP_FAILURE_LIMIT);
    return null;
  }
}

const BEARER = /^Bearer +(\S+)$/i;
const ONE_WORD = /^\S+$/;
const JWT = /^(Bearer +)?[\w-]+\.[\w-]+\.[\w-]*$/i;

type Configuration = Pick<Environment, 'CORS_ORIGINS' | 'PUBLIC_URL'>;

/**
 * Finds the token or key (reference/authentication#where-a-token-stands). `Authorization` wins over `X-API-Key`, both over the
 * cookie, so a bad header beside a good cookie is refused. `rules.scheme`: `v5` accepts a bare token.
 */
export function presentedToken(
  request: Request,
  rules: Pick<AuthenticationRules, 'scheme' | 'cookie' | 'apiKey'>,
  configuration: Configuration,
): PresentedToken | null {
  const header = request.headers.authorization?.trim();
  if (header) {
    const token = BEARER.exec(header)?.[1] ?? (rules.scheme === 'v5' && ONE_WORD.test(header) ? header : null);
    return token ? { token, via: 'header' } : null;
  }
  const key = rules.apiKey ? request.headers['x-api-key'] : undefined;
  if (typeof key === 'string' && key.trim() !== '') return { token: key.trim(), via: 'key' };
  if (!rules.cookie) return null;
  const cookie = (request.cookies as Record<string, unknown> | undefined)?.['auth_token'];
  if (typeof cookie !== 'string' || cookie === '' || !cookieCounts(request, configuration)) return null;
  return { token: cookie, via: 'cookie' };
}

/** Chooses the token error from the request's form alone, so that it reveals nothing about an account. */
export function tokenFaultOf(
  request: Request,
  rules: Pick<AuthenticationRules, 'scheme' | 'apiKey'>,
): Exclude<keyof TokenErrors, 'expired'> {
  const header = request.headers.authorization?.trim();
  if (header) {
    const token = BEARER.exec(header)?.[1] ?? header;
    if (looksLikeApiKey(token)) return 'keyAsToken';
    return token === header && (rules.scheme !== 'v5' || !ONE_WORD.test(header)) ? 'noBearer' : 'invalid';
  }
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key.trim() === '') return 'missing';
  if (!rules.apiKey) return 'keyNotTaken';
  return JWT.test(key.trim()) ? 'tokenAsKey' : 'invalidKey';
}

/** Prevents CSRF: browsers send cookies even for requests from other sites' pages. */
function cookieCounts(request: Request, configuration: Configuration): boolean {
  if (request.headers['sec-fetch-site'] === 'cross-site') return false;
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (configuration.CORS_ORIGINS.includes(origin)) return true;
  const host = hostOf(origin);
  if (host === null) return false;
  return (
    host === request.headers.host ||
    (configuration.PUBLIC_URL !== undefined && host === hostOf(configuration.PUBLIC_URL))
  );
}

function hostOf(url: string): string | null {
  try {
    return new URL(url).host || null;
  } catch {
    return null;
  }
}

/** A KeyObject is 48 times faster than a text key; HS256 is pinned for signing and verifying. */
export const jwtOptions = (environment: Environment): JwtModuleOptions => ({
  secret: tokenKey(environment),
  signOptions: { algorithm: 'HS256' },
  verifyOptions: { algorithms: ['HS256'] },
});

const MOST_KNOWN = 20_000;

/** Issues tokens and resolves verified ones to accounts. */
@Injectable()
export class AccessTokens {
  /** claims of verified tokens */
  private readonly known = boundedCache<string, ReadToken>(MOST_KNOWN);
  private readonly keyFor: (token: string) => KeyObject;

  constructor(
    private readonly jwt: JwtService,
    private readonly directory: AccountDirectory,
    private readonly assignedUsers: AssignedUsers,
    private readonly apiKeys: ApiKeys,
    private readonly revoked: RevokedTokens,
    private readonly sessions: SessionStore,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.keyFor = tokenKeys(environment);
  }

  /** Begins a session and issues its 7-day token. @param provided an identity provider vouched for the login */
  async begin(account: Account, client: Client, provided: ProvidedLogin | null = null): Promise<string> {
    const claims = claimsFor(account, now());
    const sid = await this.sessions.begin(account, client, new Date(claims.exp * 1000), provided);
    return this.sign({ ...claims, sid });
  }

  /** Issues a 7-day token without a session, as before there were any. */
  issue(account: Account): string {
    return this.sign(claimsFor(account, now()));
  }

  /** A unique id keeps two tokens of one second distinct, so that they are revoked separately. */
  private sign(claims: object): string {
    const { CELL: cell } = this.environment;
    return this.jwt.sign({ ...claims, ...(cell && { cell }) }, { jwtid: randomUUID() });
  }

  /**
   * Returns the account (and assigned user) of a verified token. Returns null for bad claims, an unusable account or user, a
   * logout, a token older than the password, or another cell's token, whose names and ids may collide.
   */
  async accountOf(text: string, payload: unknown): Promise<Account | null> {
    const token = readClaims(payload);
    if (!token || (token.cell !== null && token.cell !== this.environment.CELL)) return null;
    this.known.set(text, token);
    return this.bearerOfClaims(text, token);
  }

  /** Like `verified` for a token verified before, without signature and claims. undefined = not seen; null = invalid now. */
  async remembered(text: string): Promise<Account | null | undefined> {
    const token = this.known.get(text);
    if (!token) return undefined;
    if (token.expiresAt <= Math.floor(now().getTime() / 1000)) return null;
    return this.bearerOfClaims(text, token);
  }

  private async bearerOfClaims(text: string, token: ReadToken): Promise<Account | null> {
    const bearer = await this.loginOf(token);
    if (!bearer) return null;
    const { sessionId: id } = token;
    if (id === null) return (await this.revoked.includes(text, loginOf(bearer).id)) ? null : bearer;
    const session = await this.sessions.check(id, bearer);
    if (!session) return null;
    const { hasSecondFactor } = loginOf(bearer);
    const isLimited =
      !session.isByProvider && !hasSecondFactor && mustHaveSecondFactor(this.environment.REQUIRE_SECOND_FACTOR, bearer);
    return {
      ...bearer,
      session: { id, confirmedAt: session.confirmedAt, isLimited, isByProvider: session.isByProvider },
    };
  }

  private async loginOf(token: ReadToken): Promise<Account | null> {
    const account = await this.directory.byUsername(token.username);
    if (!account || !this.directory.usable(account)) return null;
    if (token.assignedUserId === null) return isOutdated(token, account) ? null : account;
    const assignedUser = await this.assignedUsers.byId(token.assignedUserId);
    if (!assignedUser?.isActive || assignedUser.accountId !== account.id) return null;
    return isOutdated(token, assignedUser) ? null : { ...account, assignedUser };
  }

  /** Returns the valid bearer on an open route, for accounts with `require_token`, if it may read; else null. @throws AppError too_many */
  async bearerOf(request: Request): Promise<Account | null> {
    const presented = presentedToken(request, { scheme: 'standard', cookie: true, apiKey: true }, this.environment);
    if (!presented) return null;
    const isKey = presented.via === 'key';
    const bearer = await (isKey
      ? this.apiKeys.authenticate(presented.token, clientIp(request))
      : this.verified(presented.token));
    return bearer && !bearer.session?.isLimited && hasRight(bearer, 'read') ? bearer : null;
  }

  /** Verifies signature and expiry, then calls `accountOf`. Returns null for an invalid token. */
  async verified(token: string): Promise<Account | null> {
    const remembered = await this.remembered(token);
    if (remembered !== undefined) return remembered;
    const payload = this.payloadOf(token);
    return payload === null ? null : this.accountOf(token, payload);
  }

  /** Ends a token's session (logout); ignores an invalid one. */
  async revoke(token: string): Promise<void> {
    const claims = readClaims(this.payloadOf(token));
    if (!claims) return;
    if (claims.sessionId === null) await this.revoked.add(token, claims.expiresAt);
    else await this.sessions.logOut(claims.sessionId);
  }

  private payloadOf(token: string): unknown {
    if (!isOrdinaryToken(token)) return null;
    try {
      return this.jwt.verify<Record<string, unknown>>(token, {
        secret: this.keyFor(token) as unknown as Buffer, // its types lack KeyObject
      });
    } catch {
      return null;
    }
  }
}

const COOKIE = 'admin_session';
const STAFF: ReadonlySet<string | null> = new Set(['super', 'admin']);

/**
 * A cookie session for staff's queue dashboard only, not for the API (reference/authentication#admin-session). Its value is the
 * login token, so it ends with that.
 */
@Injectable()
export class AdminSessions {
  constructor(
    private readonly tokens: AccessTokens,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Sets the cookie for super and admin only. */
  open(request: Request, response: Response, account: Account, token: string): void {
    if (STAFF.has(account.userType)) response.cookie(COOKIE, token, this.options(request));
  }

  /** Also revokes the cookie's token, so that a copy is worthless. */
  async close(request: Request, response: Response): Promise<void> {
    const token = tokenOf(request);
    if (token !== null) await this.tokens.revoke(token);
    response.clearCookie(COOKIE, this.options(request));
  }

  /** Returns the staff account, with its role from the database, or null. */
  async staffOf(request: Request): Promise<Account | null> {
    const token = tokenOf(request);
    const account = token === null ? null : await this.tokens.verified(token);
    if (!account || account.session?.isLimited) return null;
    return STAFF.has(account.userType) && hasRight(account, 'read') ? account : null;
  }

  private options(request: Request): CookieOptions {
    const { NODE_ENV, PUBLIC_URL = '' } = this.environment;
    const secure = NODE_ENV === 'production' || request.secure || PUBLIC_URL.startsWith('https:');
    return { httpOnly: true, sameSite: 'strict', path: `${publicPath(this.environment)}/admin`, secure };
  }
}

function tokenOf(request: Request): string | null {
  const token = (request.cookies as Record<string, unknown> | undefined)?.[COOKIE];
  return typeof token === 'string' && token !== '' ? token : null;
}
