import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { ENVIRONMENT, type Environment, publicPath } from '../../../platform/config/index.js';
import type { Account } from '../domain/account.js';
import { AccessTokens } from './access-tokens.js';

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
