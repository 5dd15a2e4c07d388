import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { PeriodicTask } from '../concurrency/index.js';

const PROBE_EVERY_MS = 3_000;
const PROBE_MS = 5_000;

/** What a time-out of ours says: the database has said nothing. Any other end of a statement is its word, or the network's. */
const SILENCE = new Set(['PROTOCOL_SEQUENCE_TIMEOUT', 'POOL_WAIT_TIMEOUT', 'ETIMEDOUT']);
const isSilence = (error: Error): boolean => SILENCE.has((error as NodeJS.ErrnoException).code ?? '');
/** The server has spoken: it has a number for what it refuses, and a state. */
const isAnswer = (error: Error): boolean => 'sqlState' in error;

/** What the watch asks of the pool it watches. */
export interface WatchedPool {
  /** Rejects when there was no answer within `timeout` milliseconds. */
  ping(timeout: number): Promise<void>;
}

/**
 * What this process knows of its database: when it last answered anything, and when anything last moved at all. A
 * process at rest asks every 3 s, so that silence is heard without a request.
 */
@Injectable()
export class DatabaseWatch implements OnModuleInit, BeforeApplicationShutdown {
  /** `queryTimedOut`: a statement had no answer in time; `waitGivenUp`: no connection was free in time */
  readonly events = new EventEmitter<{ queryTimedOut: []; waitGivenUp: [] }>();
  private pool: WatchedPool | null = null;
  private answeredAt = performance.now();
  private movedAt = performance.now();
  private asking: Promise<void> | null = null;
  private readonly probes = new PeriodicTask(
    PROBE_EVERY_MS,
    () => (this.silentMs < PROBE_EVERY_MS ? Promise.resolve() : this.ask()),
    () => undefined, // what went wrong stands in the two moments
  );

  onModuleInit(): void {
    this.probes.start();
  }

  /** Up to here a drain may take its time, and is looked at. */
  beforeApplicationShutdown(): void {
    void this.probes.stop();
  }

  /** Milliseconds since the database last answered. */
  get silentMs(): number {
    return performance.now() - this.answeredAt;
  }

  /** Milliseconds since anything asked of the database last came to an end, other than by our patience. */
  get stuckMs(): number {
    return performance.now() - this.movedAt;
  }

  /** Asks the database now; several who ask at once share one question. Rejects after 5 s, or as soon as it is refused. */
  ask(): Promise<void> {
    this.asking ??= (this.pool?.ping(PROBE_MS) ?? Promise.reject(new Error('There is no database'))).finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  /** Of the pool: from now on this is the one. */
  watch(pool: WatchedPool): void {
    this.pool = pool;
  }

  /** Of the pool: a statement, or a try to connect, came to its end. */
  ended(error: Error | null): void {
    if (error && isSilence(error)) return;
    this.movedAt = performance.now();
    if (!error || isAnswer(error)) this.answeredAt = this.movedAt;
  }

  /** Of the pool: a statement had no answer in time. */
  queryTimedOut(): void {
    this.events.emit('queryTimedOut');
  }

  /** Of the pool: a request waited in vain for a connection. */
  waitGivenUp(): void {
    this.events.emit('waitGivenUp');
  }
}
