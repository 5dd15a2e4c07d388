import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type JwtModuleOptions, JwtService } from '@nestjs/jwt';
import type { CookieOptions, Request, Response } from 'express';
import { now } from '../../../kernel/clock.js';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT, publicPath } from '../../../platform/config/index.js';
import { AddressLimits, clientIp, isInIpRanges, tokenKey } from '../../../platform/security/index.js';
import { ApiKeyStore } from '../access/api-keys.store.js';
import { AssignedUsers } from '../access/users.store.js';
import { AccountDirectory } from '../accounts.store.js';
import type { Account } from '../domain/account.js';
import { claimsFor, isApiKey, isOrdinaryToken, isOutdated, readClaims, type ReadToken } from '../domain/tokens.js';
import { RevokedTokens } from './authentication.store.js';
import type { AuthenticationRules, PresentedToken, TokenErrors } from './decorators.js';

/** Knows whom an API key lets act, and from where (reference/authentication#api-keys). */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly directory: AccountDirectory,
    private readonly addresses: AddressLimits,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * The account of a key, usable or not. Nothing is counted.
   * @param ip the client's address: a key with a list counts from there only
   * @returns null for a key that is unknown, revoked, or used from elsewhere
   */
  async find(key: string, ip: string): Promise<Account | null> {
    if (!isApiKey(key)) return null;
    const stored = await this.store.find(key);
    if (!stored) return null;
    if (stored.allowedIps.length > 0 && !isInIpRanges(ip, stored.allowedIps)) return null;
    const account = await this.directory.byId(stored.accountId);
    if (account && this.directory.usable(account)) this.store.touch(stored);
    return account && { ...account, apiKey: { id: stored.id, name: stored.name, prefix: stored.prefix } };
  }

  /**
   * The acting account of a key. Misses count per address (IP_FAILURE_LIMIT a minute). 256 bits cannot be guessed, so a
   * good key is never refused for the misses of others behind its address.
   * @returns null for a key that is not valid now
   * @throws AppError too_many instead, beyond the limit
   */
  async authenticate(key: string, ip: string): Promise<Account | null> {
    const account = await this.find(key, ip);
    if (account && this.directory.usable(account)) return account;
    await this.addresses.count('api-key-misses', ip, this.environment.IP_FAILURE_LIMIT);
    return null;
  }
}

const BEARER = /^Bearer +(\S+)$/i;
const ONE_WORD = /^\S+$/;
const JWT = /^(Bearer +)?[\w-]+\.[\w-]+\.[\w-]*$/i;

type Configuration = Pick<Environment, 'CORS_ORIGINS' | 'PUBLIC_URL'>;

/**
 * Finds the token or API key of a request (reference/authentication#where-a-token-stands). `Authorization` of any kind
 * wins over `X-API-Key`, and both win over the cookie: a bad header beside a good cookie is refused.
 * @param rules.scheme `standard` wants `Bearer <token>`; `v5` takes the bare token too
 * @returns null when there is none that counts
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

/**
 * Which of the token errors says best why a request has no acting account: by the form of what it carries alone, and for
 * every account alike.
 */
export function tokenFaultOf(
  request: Request,
  rules: Pick<AuthenticationRules, 'scheme' | 'apiKey'>,
): Exclude<keyof TokenErrors, 'expired'> {
  const header = request.headers.authorization?.trim();
  if (header) {
    const token = BEARER.exec(header)?.[1] ?? header;
    if (isApiKey(token)) return 'keyAsToken';
    return token === header && (rules.scheme !== 'v5' || !ONE_WORD.test(header)) ? 'noBearer' : 'invalid';
  }
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key.trim() === '') return 'missing';
  if (!rules.apiKey) return 'keyNotTaken';
  return JWT.test(key.trim()) ? 'tokenAsKey' : 'invalidKey';
}

/** A browser sends cookies by itself, so a page of another site must not be the one that makes it do so. */
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

/** Options of @nestjs/jwt: the key as KeyObject (a text costs 48 times more), HS256 pinned both ways. */
export const jwtOptions = (environment: Environment): JwtModuleOptions => ({
  secret: tokenKey(environment),
  signOptions: { algorithm: 'HS256' },
  verifyOptions: { algorithms: ['HS256'] },
});

const MOST_KNOWN = 20_000;

/** Signs tokens and knows whom a verified one lets act. */
@Injectable()
export class AccessTokens {
  /** claims of tokens whose signature was verified */
  private readonly known = boundedCache<string, ReadToken>(MOST_KNOWN);

  constructor(
    private readonly jwt: JwtService,
    private readonly directory: AccountDirectory,
    private readonly assignedUsers: AssignedUsers,
    private readonly apiKeys: ApiKeys,
    private readonly revoked: RevokedTokens,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * A token valid for 7 days (reference/authentication#tokens), for the assigned user where one acts for the account.
   * Each has an id of its own: two of one second would be one text otherwise, and end together.
   */
  issue(account: Account): string {
    const { CELL: cell } = this.environment;
    return this.jwt.sign({ ...claimsFor(account, now()), ...(cell && { cell }) }, { jwtid: randomUUID() });
  }

  /**
   * The acting account of a token whose signature and expiry have been verified, with the assigned user it names.
   * @returns null: claims at fault, account unknown, closed or expired, assigned user unknown, removed or inactive, the
   * bearer has logged out, the token is older than the password, or of another cell, whose accounts may bear the same names and ids
   */
  async accountOf(text: string, payload: unknown): Promise<Account | null> {
    const token = readClaims(payload);
    if (!token || (token.cell !== null && token.cell !== this.environment.CELL)) return null;
    this.known.set(text, token);
    return this.bearerOfClaims(text, token);
  }

  /**
   * As `verified`, for a token that was verified here before: what signature and claims say does not change, so only its
   * expiry is looked at again, and everything else as always.
   * @returns undefined for one that was not; null for one that is not good any more
   */
  async remembered(text: string): Promise<Account | null | undefined> {
    const token = this.known.get(text);
    if (!token) return undefined;
    if (token.expiresAt <= Math.floor(now().getTime() / 1000)) return null;
    return this.bearerOfClaims(text, token);
  }

  private async bearerOfClaims(text: string, token: ReadToken): Promise<Account | null> {
    if (await this.revoked.includes(text)) return null;
    const account = await this.directory.byUsername(token.username);
    if (!account || !this.directory.usable(account)) return null;
    if (token.assignedUserId === null) return isOutdated(token, account) ? null : account;
    const assignedUser = await this.assignedUsers.byId(token.assignedUserId);
    if (!assignedUser?.isActive || assignedUser.accountId !== account.id) return null;
    return isOutdated(token, assignedUser) ? null : { ...account, assignedUser };
  }

  /**
   * Whose token or API key a request to an open route carries (header, else cookie), for accounts with `require_token`.
   * @returns null when it carries none that is good
   * @throws AppError too_many beyond the limit of bad API keys
   */
  async bearerOf(request: Request): Promise<Account | null> {
    const presented = presentedToken(request, { scheme: 'standard', cookie: true, apiKey: true }, this.environment);
    if (!presented) return null;
    if (presented.via === 'key') return this.apiKeys.authenticate(presented.token, clientIp(request));
    return this.verified(presented.token);
  }

  /** Whom a token lets act: its signature and expiry, then as `accountOf`. @returns null for one that is not good */
  async verified(token: string): Promise<Account | null> {
    const remembered = await this.remembered(token);
    if (remembered !== undefined) return remembered;
    const payload = this.payloadOf(token);
    return payload === null ? null : this.accountOf(token, payload);
  }

  /** Ends a token before its time (logout); one that is not good any more is none of our business. */
  async revoke(token: string): Promise<void> {
    const claims = readClaims(this.payloadOf(token));
    if (claims) await this.revoked.add(token, claims.expiresAt);
  }

  private payloadOf(token: string): unknown {
    if (!isOrdinaryToken(token)) return null;
    try {
      return this.jwt.verify<Record<string, unknown>>(token);
    } catch {
      return null;
    }
  }
}

const COOKIE = 'admin_session';
const STAFF: ReadonlySet<string | null> = new Set(['super', 'admin']);

/**
 * The browser's session of staff (reference/authentication#admin-session): a cookie that opens the queue dashboard
 * and nothing else; the API does not know it. Its value is the token of the login, so it ends as that
 * does.
 */
@Injectable()
export class AdminSessions {
  constructor(
    private readonly tokens: AccessTokens,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Sets the cookie where super or admin has logged in; for other accounts nothing. */
  open(request: Request, response: Response, account: Account, token: string): void {
    if (STAFF.has(account.userType)) response.cookie(COOKIE, token, this.options(request));
  }

  /** Ends the token of the cookie too: a kept copy is worthless. */
  async close(request: Request, response: Response): Promise<void> {
    const token = tokenOf(request);
    if (token !== null) await this.tokens.revoke(token);
    response.clearCookie(COOKIE, this.options(request));
  }

  /** The member of the staff who looks at a page; the role is the database's. @returns null: not staff */
  async staffOf(request: Request): Promise<Account | null> {
    const token = tokenOf(request);
    const account = token === null ? null : await this.tokens.verified(token);
    return account && STAFF.has(account.userType) ? account : null;
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
