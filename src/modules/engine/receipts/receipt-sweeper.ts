import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { OverdueReceipts } from './overdue-receipts.js';
import { UnmatchedReceipts } from './unmatched-receipts.js';
import { UnmatchedReceiptsMonitor } from './unmatched-monitor.js';

const SWEEP_EVERY_MS = 1_000;
/** Unmatched receipts find their message within seconds, or wait for a dead worker's window: the older, the rarer the look. */
const LOOKS: readonly { everySweeps: number; sinceMs: number | null }[] = [
  { everySweeps: 60, sinceMs: null },
  { everySweeps: 10, sinceMs: 120_000 },
  { everySweeps: 1, sinceMs: 15_000 },
];

/**
 * Once a second: receipts that came too early or for an unknown outcome; and recipients whose receipt never came. Two
 * tasks, so that neither waits for the other.
 */
@Injectable()
export class ReceiptSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger(ReceiptSweeper.name);
  private readonly matching = this.task(() => this.match());
  private readonly deadlines = this.task(() =>
    this.overdue.round(this.environment.RECEIPT_TIMEOUT, () => this.deadlines.isStopped),
  );
  private count = 0;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly unmatched: UnmatchedReceipts,
    private readonly overdue: OverdueReceipts,
    private readonly monitor: UnmatchedReceiptsMonitor,
  ) {}

  onApplicationBootstrap(): void {
    this.matching.start();
    this.deadlines.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.matching.stop(), this.deadlines.stop()]);
  }

  private task(work: () => Promise<void>): PeriodicTask {
    return new PeriodicTask(SWEEP_EVERY_MS, work, (error) =>
      this.logger.warn({ err: error }, 'sweep failed, trying again'),
    );
  }

  private async match(): Promise<void> {
    const sweep = this.count++;
    const look = LOOKS.find(({ everySweeps }) => sweep % everySweeps === 0);
    await this.unmatched.sweep(this.environment.RECEIPT_TIMEOUT, look?.sinceMs, () => this.matching.isStopped);
    await this.monitor.look();
  }
}
