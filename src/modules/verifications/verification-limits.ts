import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { personKey } from '../../kernel/phone-numbers.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { networksOf, RateCounters } from '../../platform/security/index.js';
import type { Wanted } from './verification-request.js';
import { verificationErrors } from './verifications.errors.js';
import { VerificationStore } from './verifications.store.js';

const HOUR_S = 3_600;
const DAY_MS = 86_400_000;
/** Numbers that differ in their last digits only are one range. */
const RANGE_DIGITS = 4;

interface Counted extends Pick<Wanted, 'clientIp' | 'isTest'> {
  to: string;
}

/**
 * Bounds the messages of verifications by person, by the network of the person's device, by range of numbers and by account.
 * They hold the cost of fraud by themselves. The account's are counted in the database, the others in Redis, and in this
 * process while it is away.
 */
@Injectable()
export class VerificationLimits {
  constructor(
    private readonly counters: RateCounters,
    private readonly store: VerificationStore,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Counts one message, narrow limits first. Those of tests are counted apart. @throws AppError too_many */
  async count(accountId: number, { to, clientIp, isTest }: Counted): Promise<void> {
    const account = isTest ? `${accountId}:test` : String(accountId);
    const { VERIFICATIONS_PER_NUMBER, VERIFICATIONS_PER_NETWORK, VERIFICATIONS_PER_RANGE } = this.environment;
    await this.hit(`${account}:number:${personKey(to)}`, VERIFICATIONS_PER_NUMBER);
    for (const { name, share } of clientIp === null ? [] : networksOf(clientIp))
      await this.hit(`${account}:network:${name}`, VERIFICATIONS_PER_NETWORK * share);
    await this.hit(`${account}:range:${to.slice(0, -RANGE_DIGITS)}`, VERIFICATIONS_PER_RANGE);
    await this.countDay(accountId, isTest);
  }

  private async hit(key: string, limit: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.counters.hit(`verify:${key}`, limit, HOUR_S);
    if (!allowed) throw verificationErrors.limit(retryAfterSeconds);
  }

  /** Exact, in the database: it bounds the money. */
  private async countDay(accountId: number, isTest: boolean): Promise<void> {
    const most = this.environment.VERIFICATIONS_PER_DAY;
    if (most > 0 && !(await this.store.countDay(accountId, isTest, most))) {
      const left = DAY_MS - (now().getTime() % DAY_MS);
      throw verificationErrors.limit(Math.ceil(left / 1_000));
    }
  }
}
