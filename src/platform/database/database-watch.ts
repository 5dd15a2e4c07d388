import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { PeriodicTask } from '../concurrency/index.js';

const PROBE_EVERY_MS = 3_000;
const PROBE_MS = 5_000;

/** Timeouts of this process: the database gave no answer. Any other error came from the database or the network. */
const SILENCE = new Set(['PROTOCOL_SEQUENCE_TIMEOUT', 'POOL_WAIT_TIMEOUT', 'ETIMEDOUT']);
const isSilence = (error: Error): boolean => SILENCE.has((error as NodeJS.ErrnoException).code ?? '');
const isAnswer = (error: Error): boolean => 'sqlState' in error;

export interface WatchedPool {
  /** Rejects without an answer within `timeout` milliseconds. */
  ping(timeout: number): Promise<void>;
}

/** Records when the database last answered and when anything last ended. An idle process pings every 3 s to detect silence. */
@Injectable()
export class DatabaseWatch implements OnModuleInit, BeforeApplicationShutdown {
  readonly events = new EventEmitter<{ queryTimedOut: []; waitGivenUp: [] }>();
  private pool: WatchedPool | null = null;
  private answeredAt = performance.now();
  private movedAt = performance.now();
  private asking: Promise<void> | null = null;
  private readonly probes = new PeriodicTask(
    PROBE_EVERY_MS,
    () => (this.silentMs < PROBE_EVERY_MS ? Promise.resolve() : this.ask()),
    () => undefined, // `answeredAt` and `movedAt` record the outcome
  );

  onModuleInit(): void {
    this.probes.start();
  }

  /** Runs until here, so that the drain is watched too. */
  beforeApplicationShutdown(): void {
    void this.probes.stop();
  }

  get silentMs(): number {
    return performance.now() - this.answeredAt;
  }

  /** Milliseconds since any statement or connection attempt ended, except by a timeout of this process. */
  get stuckMs(): number {
    return performance.now() - this.movedAt;
  }

  /** Pings the database; concurrent calls share one ping. Rejects after 5 s or when refused. */
  ask(): Promise<void> {
    this.asking ??= (this.pool?.ping(PROBE_MS) ?? Promise.reject(new Error('There is no database'))).finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  /** The first pool is pinged for all. */
  watch(pool: WatchedPool): void {
    this.pool ??= pool;
  }

  ended(error: Error | null): void {
    if (error && isSilence(error)) return;
    this.movedAt = performance.now();
    if (!error || isAnswer(error)) this.answeredAt = this.movedAt;
  }

  queryTimedOut(): void {
    this.events.emit('queryTimedOut');
  }

  waitGivenUp(): void {
    this.events.emit('waitGivenUp');
  }
}
