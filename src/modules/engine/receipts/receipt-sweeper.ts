import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Rounds } from '../../../kernel/rounds.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { OverdueReceipts } from './overdue-receipts.js';
import { UnmatchedReceipts } from './unmatched-receipts.js';
import { UnmatchedReceiptsMonitor } from './unmatched-monitor.js';

const ROUND_EVERY_MS = 1_000;
/** Parked receipts find their message within seconds, or wait for a dead worker's window: the older, the rarer the look. */
const LOOKS: readonly { everyRounds: number; sinceMs: number | null }[] = [
  { everyRounds: 60, sinceMs: null },
  { everyRounds: 10, sinceMs: 120_000 },
  { everyRounds: 1, sinceMs: 15_000 },
];

/**
 * Once a second: receipts that came too early or for an unknown outcome; and recipients whose receipt never came. Two
 * tasks, so that neither waits for the other.
 */
@Injectable()
export class ReceiptSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger(ReceiptSweeper.name);
  private readonly matching = this.rounds(() => this.match());
  private readonly deadlines = this.rounds(() =>
    this.overdue.round(this.environment.RECEIPT_TIMEOUT, () => this.deadlines.areStopped),
  );
  private count = 0;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly parked: UnmatchedReceipts,
    private readonly overdue: OverdueReceipts,
    private readonly unmatched: UnmatchedReceiptsMonitor,
  ) {}

  onApplicationBootstrap(): void {
    this.matching.start();
    this.deadlines.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.matching.stop(), this.deadlines.stop()]);
  }

  private rounds(round: () => Promise<void>): Rounds {
    return new Rounds(ROUND_EVERY_MS, round, (error) => this.logger.warn({ err: error }, 'sweep failed, trying again'));
  }

  private async match(): Promise<void> {
    const round = this.count++;
    const look = LOOKS.find(({ everyRounds }) => round % everyRounds === 0);
    await this.parked.sweep(this.environment.RECEIPT_TIMEOUT, look?.sinceMs, () => this.matching.areStopped);
    await this.unmatched.look();
  }
}
