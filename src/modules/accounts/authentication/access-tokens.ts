import { Inject, Injectable } from '@nestjs/common';
import { type JwtModuleOptions, JwtService } from '@nestjs/jwt';
import type { Request } from 'express';
import { now } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { tokenKey } from '../../../platform/security/index.js';
import { claimsFor, isOutdated, readClaims } from '../domain/access-token.js';
import type { Account } from '../domain/account.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import { presentedToken } from './presented-token.js';

/** Options of @nestjs/jwt: the key as KeyObject (a text costs 48 times more), HS256 pinned both ways. */
export const jwtOptions = (environment: Environment): JwtModuleOptions => ({
  secret: tokenKey(environment),
  signOptions: { algorithm: 'HS256' },
  verifyOptions: { algorithms: ['HS256'] },
});

/** Signs tokens and knows whom a verified one lets act. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly jwt: JwtService,
    private readonly directory: AccountDirectory,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** A token valid for 7 days (decisions §4). */
  issue(account: Account): string {
    return this.jwt.sign(claimsFor(account, now()));
  }

  /**
   * The acting account of a payload whose signature and expiry have been verified.
   * @returns null: claims at fault, account unknown, closed or expired, or the token is older than the password
   */
  async accountOf(payload: unknown): Promise<Account | null> {
    const token = readClaims(payload);
    if (!token) return null;
    const account = await this.directory.byUsername(token.username);
    if (!account || !this.directory.usable(account) || isOutdated(token, account)) return null;
    return account;
  }

  /**
   * Whose token a request to an open route carries (header, else cookie), for accounts with `require_token`.
   * @returns null when it carries none that is good
   */
  async bearerOf(request: Request): Promise<Account | null> {
    const presented = presentedToken(request, { scheme: 'standard', cookie: true }, this.environment);
    if (!presented) return null;
    let payload: unknown;
    try {
      payload = this.jwt.verify<Record<string, unknown>>(presented.token);
    } catch {
      return null;
    }
    return this.accountOf(payload);
  }
}
