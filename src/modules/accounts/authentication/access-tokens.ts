import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type JwtModuleOptions, JwtService } from '@nestjs/jwt';
import type { Request } from 'express';
import { now } from '../../../kernel/clock.js';
import { boundedCache } from '../../../platform/caches/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { clientIp, tokenKey } from '../../../platform/security/index.js';
import { claimsFor, isOrdinaryToken, isOutdated, readClaims, type ReadToken } from '../domain/access-token.js';
import type { Account } from '../domain/account.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { AssignedUsers } from '../persistence/assigned-users.js';
import { RevokedTokens } from '../persistence/revoked-tokens.js';
import { ApiKeys } from './api-keys.js';
import { presentedToken } from './presented-token.js';

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
