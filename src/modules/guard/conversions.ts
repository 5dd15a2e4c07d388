import { Injectable, Logger } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { safeError } from '../../platform/observability/index.js';
import { AccountDirectory, type GuardKind } from '../accounts/index.js';
import { dialledNumber, prefixOf } from './destinations.js';
import { Freezes } from './freezes.store.js';
import { GuardCounters } from './guard-counters.js';

const HOUR_MS = 3_600_000;
/** Fewer starts to a prefix in an hour say nothing. */
const FEWEST_STARTED = 20;

export const hourOf = (at: Date): number => Math.floor(at.getTime() / HOUR_MS);

/**
 * Verifications that were started and that succeeded, by account and prefix. Where too few succeed, the messages go to numbers that
 * live on them: sending to the prefix is frozen (reference/guard#velocity). Never throws: verification goes on without counts.
 */
@Injectable()
export class Conversions {
  private readonly logger = new Logger(Conversions.name);

  constructor(
    private readonly accounts: AccountDirectory,
    private readonly counters: GuardCounters,
    private readonly freezes: Freezes,
  ) {}

  /** Counts a code that was sent. @param number digits with the calling code @param channel sms, chat or voice */
  async started(accountId: number, number: string, channel: GuardKind): Promise<void> {
    await this.safely(accountId, this.count(accountId, number, 'started', channel));
  }

  /** Counts a code that was entered rightly. */
  async succeeded(accountId: number, number: string): Promise<void> {
    await this.safely(accountId, this.count(accountId, number, 'succeeded'));
  }

  private async safely(accountId: number, counting: Promise<void>): Promise<void> {
    await counting.catch((error: unknown) => {
      this.logger.warn({ err: safeError(error), account: accountId }, 'a conversion was not counted');
    });
  }

  private async count(
    accountId: number,
    number: string,
    what: 'started' | 'succeeded',
    channel?: GuardKind,
  ): Promise<void> {
    const account = await this.accounts.byId(accountId);
    const bound = account?.guard?.conversion_percent ?? null;
    const digits = dialledNumber(number, account?.country ?? null);
    if (bound === null || digits === null || channel === 'chat') return;
    const prefix = prefixOf(digits);
    const counts = await this.counters.convert(accountId, prefix, what, hourOf(now()));
    if (!counts || what === 'succeeded' || counts.started < FEWEST_STARTED) return;
    const { started, succeeded } = counts;
    if (100 * succeeded < bound * started)
      await this.freezes.freeze(accountId, prefix, 'conversion', { started, succeeded, percent: bound });
  }
}
