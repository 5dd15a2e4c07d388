import { Inject, Injectable, Logger } from '@nestjs/common';
import { readText } from '../../../kernel/text.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { fromForm } from '../../../platform/http/index.js';
import { clientIp, isInIpRanges } from '../../../platform/security/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, needsToken, roleOf } from '../domain/account.js';
import { AccountDirectory } from '../persistence/account-directory.js';
import type { AuthenticatedRequest } from './actor.js';
import { OpenMisses } from './open-misses.js';

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
