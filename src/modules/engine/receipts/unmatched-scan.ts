import { performance } from 'node:perf_hooks';
import type { UnmatchedReceipts } from './unmatched-receipts.js';
import type { ScanPosition } from './unmatched-store.js';

/** How much of them one pass may look through. */
export interface ScanTerms {
  /** only what came within this time, milliseconds; null = all */
  sinceMs: number | null;
  /** a pass begins no further batch after so long, milliseconds */
  longestMs: number;
}

/**
 * Goes through the receipts without a message again and again, pass by pass: one that took too long is gone on with by the
 * next, so a pass costs the same however many wait, and is over before another process may begin one.
 */
export class UnmatchedScan {
  private after: ScanPosition | null = null;

  constructor(
    private readonly unmatched: UnmatchedReceipts,
    private readonly terms: ScanTerms,
  ) {}

  /** @param isStopped asked between two batches */
  async pass(isStopped: () => boolean = () => false): Promise<void> {
    const { sinceMs, longestMs } = this.terms;
    const until = performance.now() + longestMs;
    this.after = await this.unmatched.sweep(sinceMs, this.after, () => isStopped() || performance.now() >= until);
  }
}
