import { performance } from 'node:perf_hooks';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { SingleRun } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { DueWatch, LeaderGate, SharedTask } from '../../../platform/periodic/index.js';
import { IS_ANY_OVERDUE, OverdueReceipts } from './overdue-receipts.js';
import { UnmatchedReceipts } from './unmatched-receipts.js';
import { isAnyUnmatched, type ScanPosition, UnmatchedReceiptsMonitor } from './unmatched-store.js';

export interface ScanTerms {
  sinceMs: number | null;
  longestMs: number;
}

/** Scans unmatched receipts in passes: one that runs out of time is continued by the next, so that passes never overlap. */
export class UnmatchedScan {
  private after: ScanPosition | null = null;

  constructor(
    private readonly unmatched: UnmatchedReceipts,
    private readonly terms: ScanTerms,
  ) {}

  async pass(isStopped: () => boolean = () => false): Promise<void> {
    const { sinceMs, longestMs } = this.terms;
    if (this.after === null && !(await this.unmatched.isAny(sinceMs))) return;
    const until = performance.now() + longestMs;
    this.after = await this.unmatched.sweep(sinceMs, this.after, () => isStopped() || performance.now() >= until);
  }
}

/** Receipts find their message within seconds or wait for a dead worker's batch: older ones are checked less often. */
const YOUNG_MS = 15_000;
const OLDER: readonly { everyMs: number; sinceMs: number | null }[] = [
  { everyMs: 10_000, sinceMs: 120_000 },
  { everyMs: 60_000, sinceMs: null },
];

const PASS_SHARE = 1 / 6;
/** Not urgent: these rows match no receipt. */
const FORGET_EVERY_MS = 600_000;

/** Matches receipts that came early or belong to unknown outcomes, and fails recipients without a receipt. */
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
    gate: LeaderGate,
    private readonly unmatched: UnmatchedReceipts,
    overdue: OverdueReceipts,
    private readonly monitor: UnmatchedReceiptsMonitor,
  ) {
    const onFault = (error: unknown): void => this.logger.warn({ err: error }, 'sweep failed, trying again');
    this.matching = watch.register({
      name: 'early-receipts',
      isDue: isAnyUnmatched(YOUNG_MS),
      work: () => this.matchYoung(),
      onFault,
    });
    this.deadlines = watch.register({
      name: 'receipt-deadlines',
      isDue: IS_ANY_OVERDUE,
      work: () => overdue.round(environment.RECEIPT_TIMEOUT, () => this.deadlines.isStopped),
      onFault,
    });
    this.forgetting = new SharedTask(gate, {
      name: 'former-receipts',
      everyMs: FORGET_EVERY_MS,
      work: () => this.forget(overdue),
      onFault,
    });
    this.older = OLDER.map(({ everyMs, sinceMs }) => {
      const scan = new UnmatchedScan(unmatched, { sinceMs, longestMs: everyMs * PASS_SHARE });
      const work = (): Promise<void> => scan.pass(() => this.matching.isStopped);
      return new SharedTask(gate, { name: `receipts-${everyMs}`, everyMs, work, onFault });
    });
  }

  onApplicationBootstrap(): void {
    for (const task of [...this.older, this.forgetting, this.monitor]) task.start();
  }

  async stop(): Promise<void> {
    const tasks = [this.matching, this.deadlines, ...this.older, this.forgetting, this.monitor];
    await Promise.all(tasks.map((task) => task.stop()));
  }

  private async matchYoung(): Promise<void> {
    await this.unmatched.sweep(YOUNG_MS, null, () => this.matching.isStopped);
  }

  private async forget(overdue: OverdueReceipts): Promise<void> {
    const isStopped = (): boolean => this.forgetting.isStopped;
    await this.unmatched.drop(this.environment.RECEIPT_TIMEOUT, isStopped);
    await overdue.forgetUnknown(this.environment.RECEIPT_TIMEOUT, isStopped);
  }
}
