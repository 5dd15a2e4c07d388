import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { SingleSignalStream } from '../../../platform/queues/index.js';

/** For so long after a message of one recipient has come, campaigns leave room to the next. */
const ASIDE_MS = 2_000;
/** A step of fewer recipients is over before it would be in the way, and shares its statements with others. */
const SMALL_STEP = 100;
/** A step waits no longer for one before it, which may hang with its connection. */
const PATIENCE_MS = 500;

/**
 * Whether campaigns are to leave room to messages of one recipient (docs/decisions/0064). Of what their full windows write, claims
 * and results, one step is under way at once in this worker while they are.
 */
@Injectable()
export class YieldToSingles implements OnApplicationBootstrap {
  /** clock of `performance.now()`: when the last message of one recipient came of which this worker knows */
  private lastSingle = -Infinity;
  private readonly steps = new Semaphore(() => (this.isAsked ? 1 : Infinity));

  constructor(private readonly signals: SingleSignalStream) {}

  onApplicationBootstrap(): void {
    this.signals.listen(() => this.heard());
  }

  /** A message of one recipient has come. @param at clock of `performance.now()` */
  heard(at = performance.now()): void {
    this.lastSingle = Math.max(this.lastSingle, at);
  }

  /** Whether messages of one recipient come. */
  get isAsked(): boolean {
    return performance.now() - this.lastSingle < ASIDE_MS;
  }

  /**
   * What a window writes, in its turn.
   * @param recipients that it writes, at the most; 0 = it makes room for none
   */
  async step<Result>(recipients: number, work: () => Promise<Result>): Promise<Result> {
    if (recipients < SMALL_STEP) return work();
    const isCounted = await this.steps.acquire(performance.now() + PATIENCE_MS);
    try {
      return await work();
    } finally {
      if (isCounted) this.steps.release();
    }
  }
}
