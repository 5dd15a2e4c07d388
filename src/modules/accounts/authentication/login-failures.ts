import { Inject, Injectable } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { AddressLimits, RateCounters, tooMany } from '../../../platform/security/index.js';
import { LoginAddresses } from './authentication.store.js';

const HOUR_SECONDS = 3_600;
const BY_ADDRESS = 'login-failures-ip';
const UNKNOWN_LOGIN = 0;

interface Attempt {
  /** id of the account or assigned user; a digest for an unknown name */
  who: number | string;
  ip: string;
  /** the login was used from this address before */
  familiar: boolean;
}

/**
 * Limits failed passwords per address and login (LOGIN_FAILURE_LIMIT a minute), per address (IP_FAILURE_LIMIT a minute) and per
 * login (ACCOUNT_FAILURE_LIMIT an hour, not from known addresses, so that attackers cannot lock owners out). A reached limit
 * also refuses correct passwords; parallel guesses cannot exceed it.
 */
@Injectable()
export class LoginFailures {
  constructor(
    private readonly counters: RateCounters,
    private readonly addresses: AddressLimits,
    private readonly loginAddresses: LoginAddresses,
    @Inject(ENVIRONMENT)
    private readonly environment: Pick<
      Environment,
      'LOGIN_FAILURE_LIMIT' | 'IP_FAILURE_LIMIT' | 'ACCOUNT_FAILURE_LIMIT'
    >,
  ) {}

  /** Call before the password is compared. @throws AppError 429 beyond a limit */
  async begin(who: number | string, ip: string): Promise<Attempt> {
    const attempt: Attempt = { who, ip, familiar: await this.loginAddresses.knows(holderOf(who), ip) };
    await this.addresses.refuseBlocked(BY_ADDRESS, ip, this.environment.IP_FAILURE_LIMIT);
    await this.refuseBlocked(attempt);
    return attempt;
  }

  /** The password was right. @throws AppError 429 if parallel attempts have reached a limit meanwhile */
  async succeed(attempt: Attempt): Promise<void> {
    await this.refuseBlocked(attempt);
    await this.loginAddresses.remember(holderOf(attempt.who), attempt.ip);
  }

  /** The password was wrong. @throws AppError 429 beyond a limit */
  async count({ who, ip, familiar }: Attempt): Promise<void> {
    const { LOGIN_FAILURE_LIMIT, IP_FAILURE_LIMIT, ACCOUNT_FAILURE_LIMIT } = this.environment;
    await Promise.all([
      this.addresses.count(`login-failures:${who}`, ip, LOGIN_FAILURE_LIMIT),
      this.addresses.count(BY_ADDRESS, ip, IP_FAILURE_LIMIT),
    ]);
    if (familiar) return;
    const hour = await this.counters.hit(accountKey(who), ACCOUNT_FAILURE_LIMIT, HOUR_SECONDS);
    if (!hour.allowed) throw tooMany(hour.retryAfterSeconds);
  }

  private async refuseBlocked({ who, ip, familiar }: Attempt): Promise<void> {
    const { LOGIN_FAILURE_LIMIT, ACCOUNT_FAILURE_LIMIT } = this.environment;
    await this.addresses.refuseBlocked(`login-failures:${who}`, ip, LOGIN_FAILURE_LIMIT);
    const wait = familiar ? 0 : await this.counters.blocked(accountKey(who), ACCOUNT_FAILURE_LIMIT);
    if (wait > 0) throw tooMany(wait);
  }
}

const accountKey = (who: number | string): string => `account-failures:${who}`;

const holderOf = (who: number | string): number => (typeof who === 'number' ? who : UNKNOWN_LOGIN);
