import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { PasswordHasher, RateCounters, tooMany } from '../../../platform/security/index.js';
import { accountErrors } from '../domain/account-errors.js';
import { type Account, isExpired } from '../domain/account.js';
import { looksLikeEmail, normalEmail } from '../domain/identity.js';
import type { AccountEntity } from '../persistence/account.entity.js';
import { AccountStore } from '../persistence/account-store.js';

const WINDOW_SECONDS = 60;

/** A hash of the same cost that no password makes known: an unknown name takes as long as a wrong password. */
const NOBODYS_HASH = '$2b$10$jZnZ7xJlb670G4RY7w0epuoUyQGPhBGv5eurcpq92.xx7eGCOa3sa';

/**
 * Judges a name and a password, for login and `sms_get.php`. Failures count per address and account, by whichever name
 * (LOGIN_FAILURE_LIMIT), and per address over both (IP_FAILURE_LIMIT). Beyond a limit nothing is told, not even that a
 * password is right; so of guesses sent at the same moment no more than the limit are answered.
 */
@Injectable()
export class Credentials {
  constructor(
    private readonly store: AccountStore,
    private readonly hasher: PasswordHasher,
    private readonly counters: RateCounters,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * @param name an e-mail (any case) when it holds @ and a domain, else a username (byte for byte)
   * @param ip the client's address
   * @throws AppError 401 in the order of spec 7 (the password is judged first), 429 beyond a limit
   */
  async check(name: string, password: string, ip: string): Promise<Account> {
    await this.refuseBlocked(ipKey(ip), this.environment.IP_FAILURE_LIMIT);
    const row = looksLikeEmail(name)
      ? await this.store.rowByEmail(normalEmail(name))
      : await this.store.rowByUsername(name);
    const key = accountKey(ip, row, name);
    await this.refuseBlocked(key, this.environment.LOGIN_FAILURE_LIMIT);
    const matches = await this.hasher.verify(password, row?.passwordHash ?? NOBODYS_HASH);
    if (!row || !matches) {
      await this.countFailure(key, ip);
      throw accountErrors.invalidCredentials();
    }
    await this.refuseBlocked(key, this.environment.LOGIN_FAILURE_LIMIT);
    const account = this.store.toAccount(row);
    if (!account.isActive) throw accountErrors.inactive();
    if (isExpired(account, now())) throw accountErrors.expired();
    return account;
  }

  private async refuseBlocked(key: string, limit: number): Promise<void> {
    const wait = await this.counters.blocked(key, limit);
    if (wait > 0) throw tooMany(wait);
  }

  private async countFailure(key: string, ip: string): Promise<void> {
    const [account, address] = await Promise.all([
      this.counters.hit(key, this.environment.LOGIN_FAILURE_LIMIT, WINDOW_SECONDS),
      this.counters.hit(ipKey(ip), this.environment.IP_FAILURE_LIMIT, WINDOW_SECONDS),
    ]);
    if (!account.allowed) throw tooMany(account.retryAfterSeconds);
    if (!address.allowed) throw tooMany(address.retryAfterSeconds);
  }
}

const ipKey = (ip: string): string => `login-failures-ip:${ip}`;

/** An account has one count whichever of its names is tried; unknown names are kept short and unreadable. */
const accountKey = (ip: string, row: AccountEntity | null, name: string): string =>
  `login-failures:${ip}:${row ? row.id : createHash('sha256').update(name.toLowerCase()).digest('base64url')}`;
