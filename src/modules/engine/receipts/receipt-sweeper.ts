import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { SingleRun } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { DueWatch, DutyGate, SharedTask } from '../../../platform/duties/index.js';
import { IS_ANY_OVERDUE, OverdueReceipts } from './overdue-receipts.js';
import { UnmatchedReceipts } from './unmatched-receipts.js';
import { UnmatchedReceiptsMonitor } from './unmatched-monitor.js';
import { isAnyUnmatched } from './unmatched-store.js';

/** Unmatched receipts find their message within seconds, or wait for a dead worker's window: the older, the rarer the look. */
const YOUNG_MS = 15_000;
const OLDER: readonly { everyMs: number; sinceMs: number | null }[] = [
  { everyMs: 10_000, sinceMs: 120_000 },
  { everyMs: 60_000, sinceMs: null },
];

/** No hurry: the rows of unknown outcomes that go are of no use any more. */
const FORGET_EVERY_MS = 600_000;

/** Receipts that came too early or for an unknown outcome find their message; and recipients whose receipt never came fail. */
@Injectable()
export class ReceiptSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger(ReceiptSweeper.name);
  private readonly matching: SingleRun;
  private readonly deadlines: SingleRun;
  private readonly older: readonly SharedTask[];
  private readonly forgetting: SharedTask;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    watch: DueWatch,
    gate: DutyGate,
    private readonly unmatched: UnmatchedReceipts,
    overdue: OverdueReceipts,
    private readonly monitor: UnmatchedReceiptsMonitor,
  ) {
    const onFault = (error: unknown): void => this.logger.warn({ err: error }, 'sweep failed, trying again');
    this.matching = watch.register({
      name: 'early-receipts',
      isDue: isAnyUnmatched(YOUNG_MS),
      work: () => this.match(YOUNG_MS),
      onFault,
    });
    this.deadlines = watch.register({
      name: 'receipt-deadlines',
      isDue: IS_ANY_OVERDUE,
      work: () => overdue.round(environment.RECEIPT_TIMEOUT, () => this.deadlines.isStopped),
      onFault,
    });
    this.forgetting = new SharedTask(gate, {
      name: 'unknown-outcomes',
      everyMs: FORGET_EVERY_MS,
      work: () => overdue.forgetUnknown(environment.RECEIPT_TIMEOUT, () => this.forgetting.isStopped),
      onFault,
    });
    this.older = OLDER.map(
      ({ everyMs, sinceMs }) =>
        new SharedTask(gate, { name: `receipts-${everyMs}`, everyMs, work: () => this.match(sinceMs), onFault }),
    );
  }

  onApplicationBootstrap(): void {
    for (const task of [...this.older, this.forgetting, this.monitor]) task.start();
  }

  async stop(): Promise<void> {
    const tasks = [this.matching, this.deadlines, ...this.older, this.forgetting, this.monitor];
    await Promise.all(tasks.map((task) => task.stop()));
  }

  private match(sinceMs: number | null): Promise<void> {
    return this.unmatched.sweep(this.environment.RECEIPT_TIMEOUT, sinceMs, () => this.matching.isStopped);
  }
}
