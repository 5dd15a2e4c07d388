import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type DocumentedError } from '../../../kernel/errors.js';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { AddressLimits, RateCounters, tooMany } from '../../../platform/security/index.js';
import { accountErrors, type Account, Credentials, loginOf } from '../../accounts/index.js';
import { acceptanceErrors, Submissions } from '../../engine/index.js';

export const CHOSEN_ID_ERRORS: readonly DocumentedError[] = [
  tooMany.because('a caller-supplied id after too many of other accounts in a minute'),
  acceptanceErrors.requestIdTaken,
];

const NAME = 'foreign-request-id';
const WINDOW_SECONDS = 60;

export interface Chooser {
  ip: string;
  /** null = the request only named the account and must not use up its limit */
  accountId: number | null;
}

/**
 * Guards caller-supplied ids, which are unique over all accounts: a conflict reveals that another account has the id.
 * Each conflict counts as a miss, at most OPEN_MISS_LIMIT a minute by address and by account.
 */
@Injectable()
export class ChosenIds {
  private readonly limit: number;

  constructor(
    private readonly addresses: AddressLimits,
    private readonly counters: RateCounters,
    @Inject(ENVIRONMENT) { OPEN_MISS_LIMIT }: Environment,
  ) {
    this.limit = OPEN_MISS_LIMIT;
  }

  /** @throws AppError too_many beyond the limit, also for guesses that were under way */
  async guard<T>(id: string | null, chooser: Chooser, send: () => Promise<T>): Promise<T> {
    if (id === null) return send();
    await this.refuseBlocked(chooser);
    try {
      return await send();
    } catch (error) {
      if (Submissions.isForeignId(error)) await this.count(chooser);
      throw error;
    }
  }

  private async refuseBlocked({ ip, accountId }: Chooser): Promise<void> {
    await this.addresses.refuseBlocked(NAME, ip, this.limit);
    const wait = accountId === null ? 0 : await this.counters.blocked(accountKey(accountId), this.limit);
    if (wait > 0) throw tooMany(wait);
  }

  private async count({ ip, accountId }: Chooser): Promise<void> {
    const counted = [this.addresses.count(NAME, ip, this.limit)];
    if (accountId !== null) counted.push(this.countAccount(accountId));
    await Promise.all(counted);
  }

  private async countAccount(accountId: number): Promise<void> {
    const counted = await this.counters.hit(accountKey(accountId), this.limit, WINDOW_SECONDS);
    if (!counted.allowed) throw tooMany(counted.retryAfterSeconds);
  }
}

const accountKey = (accountId: number): string => `${NAME}-account:${accountId}`;

const KEPT_MS = 60_000;
const MOST_ENTRIES = 10_000;

/**
 * Credentials of `sms_get.php`: because bcrypt is slow, a verified pair is cached for 60 s (reference/sms#sms_getphp).
 * The cache holds keyed digests. A changed password or a closed or expired account ends an entry at once.
 */
@Injectable()
export class VerifiedCredentials {
  private readonly key = randomBytes(32);
  private readonly verified = boundedCache<string, Account>(MOST_ENTRIES, { ttlMs: KEPT_MS });
  private readonly pending = new Map<string, Promise<Account>>();

  constructor(private readonly credentials: Credentials) {}

  /** @throws AppError unauthenticated, too_many (as at login) */
  async check(username: string, password: string, ip: string): Promise<Account> {
    const byKey = await this.credentials.checkApiKey(username, password, ip);
    if (byKey) return byKey;
    const digest = this.digestOf(username, password);
    const account = (await this.recall(digest)) ?? (await this.verify(digest, username, password, ip));
    // a password alone opens nothing of a login with a second factor: such an account sends its API key
    if (loginOf(account).hasSecondFactor) throw accountErrors.secondFactorRequired();
    return account;
  }

  private digestOf(username: string, password: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([username, password]))
      .digest('base64');
  }

  private async recall(digest: string): Promise<Account | null> {
    const verified = this.verified.get(digest);
    if (!verified) return null;
    const account = await this.credentials.recall(verified);
    if (!account) this.verified.delete(digest);
    return account;
  }

  /** Equal concurrent tries share one verification if it succeeds; each failure counts separately against the limits. */
  private verify(digest: string, username: string, password: string, ip: string): Promise<Account> {
    const running = this.pending.get(digest);
    if (running) return running.catch(() => this.credentials.check(username, password, ip));
    const check = this.credentials
      .check(username, password, ip)
      .then((account) => {
        this.verified.set(digest, account);
        return account;
      })
      .finally(() => this.pending.delete(digest));
    this.pending.set(digest, check);
    return check;
  }
}
