import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { SingleSignalStream } from '../../../platform/queues/index.js';

/** Campaigns yield this long after each single message. */
const YIELD_MS = 2_000;
/** Smaller writes are not throttled. */
const SMALL_WRITE = 100;
/** Maximum wait for the preceding write, which may hang with its connection. */
const PATIENCE_MS = 500;

/** Whether campaigns yield to single messages (docs/decisions/0064): then their large writes run one at a time per worker. */
@Injectable()
export class YieldToSingles implements OnApplicationBootstrap {
  /** arrival of the last known single message, clock of `performance.now()` */
  private lastSingle = -Infinity;
  private readonly writes = new Semaphore(() => (this.isActive ? 1 : Infinity));

  constructor(private readonly signals: SingleSignalStream) {}

  onApplicationBootstrap(): void {
    this.signals.listen(() => this.received());
  }

  /** Records a single message. @param at clock of `performance.now()` */
  received(at = performance.now()): void {
    this.lastSingle = Math.max(this.lastSingle, at);
  }

  /** Whether single messages arrived recently. */
  get isActive(): boolean {
    return performance.now() - this.lastSingle < YIELD_MS;
  }

  /** Runs a write of a batch, one at a time if throttled. @param recipients at most; 0 = not throttled */
  async throttle<Result>(recipients: number, work: () => Promise<Result>): Promise<Result> {
    if (recipients < SMALL_WRITE) return work();
    const isCounted = await this.writes.acquire(performance.now() + PATIENCE_MS);
    try {
      return await work();
    } finally {
      if (isCounted) this.writes.release();
    }
  }
}
