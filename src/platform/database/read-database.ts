import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { within } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { dataSourceOptions } from './data-source.js';
import { type ReadSource, rowArrays } from './rows.js';
import { again } from './faults.js';

/** Reason why a read went to the writer despite a replica. */
export type WriterReason = 'away' | 'lag' | 'fault' | 'missing';

/** Interval of lag checks while the replica is used, milliseconds. */
const POLL_EVERY_MS = 1_000;
/** Readers wait at most this long for a lag check, then use the writer. */
const MEASURE_MS = 500;
/** Interval of the writer's heartbeats. */
const BEAT_US = 500_000;
/** Attempts to read a new heartbeat from the replica. */
const ARRIVALS = 5;
const ARRIVAL_MS = 40;
const BOUNDS = { queryTimeout: 10_000, poolWait: 1_000 };

/** Reads reports, lists, exports: from `DATABASE_READ_URL` within its lag limit, else from the writer (docs/decisions/0037). */
@Injectable()
export class ReadDatabase implements OnApplicationShutdown {
  readonly events = new EventEmitter<{ replica: []; writer: [WriterReason] }>();
  private readonly url: string | undefined;
  private replica: DataSource | null = null;
  private measuring: { since: number; done: Promise<void> } | null = null;
  private measuredAt = -Infinity;
  private fault: WriterReason | null = 'away';
  private lag: number | null = null;

  constructor(
    @InjectDataSource() private readonly writer: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.url = environment.DATABASE_READ_URL;
  }

  /** Replica lag in milliseconds at the last check; null = unknown, or no replica. */
  get lagMs(): number | null {
    return this.lag;
  }

  /** Opens a session of reads that all see one server. If a row is missing, call `toWriter` and repeat. */
  async session(): Promise<ReadSession> {
    if (this.url === undefined) return new ReadSession(this.writer, null, () => undefined);
    if (this.measuring === null && performance.now() - this.measuredAt > POLL_EVERY_MS) this.poll();
    const { measuring } = this;
    const left = measuring ? MEASURE_MS - (performance.now() - measuring.since) : 0;
    if (measuring && left > 0) await within(left, measuring.done).catch(() => undefined);
    const isLate = this.measuring !== null && performance.now() - this.measuring.since >= MEASURE_MS;
    const reason = isLate ? 'away' : this.fault;
    if (reason !== null || !this.replica) {
      this.events.emit('writer', reason ?? 'away');
      return new ReadSession(this.writer, null, () => undefined);
    }
    this.events.emit('replica');
    return new ReadSession(this.writer, this.replica, (why) => {
      if (why === 'fault') this.fault = 'away';
      this.events.emit('writer', why);
    });
  }

  async query<T = unknown>(sql: string, values?: unknown[]): Promise<T> {
    return (await this.session()).query<T>(sql, values);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.measuring?.done;
    await this.replica?.destroy();
  }

  private poll(): void {
    const done = this.measure()
      .then((lag) => {
        this.lag = lag;
        this.fault = lag > this.environment.DATABASE_READ_LAG ? 'lag' : null;
      })
      .catch(() => {
        this.lag = null;
        this.fault = 'away';
      })
      .finally(() => {
        this.measuredAt = performance.now();
        this.measuring = null;
      });
    this.measuring = { since: performance.now(), done };
  }

  /** Lag: the writer's clock minus the replicated heartbeat, so clocks are not compared. Unchanged while the writer is away. */
  private async measure(): Promise<number> {
    const replica = await this.connected();
    const writersTime = await this.beat().catch(() => null);
    if (writersTime === null) {
      await replica.query('SELECT 1');
      return this.lag ?? 0;
    }
    for (let arrival = 1; ; arrival++) {
      const [row] = await replica.query<{ beat: string }[]>(
        `SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', beat) AS beat FROM replica_beats WHERE id = 1 LIMIT 1`,
      );
      const lag = Math.max(0, (writersTime - Number(row?.beat ?? 0)) / 1_000);
      if (lag <= POLL_EVERY_MS || arrival === ARRIVALS) return lag;
      await sleep(ARRIVAL_MS);
    }
  }

  /** Writes a heartbeat when the last one is old. @returns the writer's time, microseconds */
  private async beat(): Promise<number> {
    const [row] = await this.writer.query<{ now: string; isFresh: number | null }[]>(
      `SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) AS now,
         (SELECT beat > UTC_TIMESTAMP(6) - INTERVAL ${BEAT_US} MICROSECOND FROM replica_beats WHERE id = 1) AS isFresh LIMIT 1`,
    );
    if (!row?.isFresh) {
      await this.writer.query(
        again(`INSERT INTO replica_beats (id, beat) VALUES (1, UTC_TIMESTAMP(6))
               ON DUPLICATE KEY UPDATE beat = VALUES(beat)`),
      );
    }
    return Number(row?.now);
  }

  private async connected(): Promise<DataSource> {
    if (this.replica) return this.replica;
    const { DATABASE_POOL_SIZE: size, DATABASE_QUERY_TIMEOUT: timeout } = this.environment;
    const queryTimeout = Math.min(BOUNDS.queryTimeout, timeout || Infinity);
    const options = dataSourceOptions(this.url ?? '', size, { ...BOUNDS, queryTimeout });
    return (this.replica = await new DataSource(options).initialize());
  }
}

export class ReadSession implements ReadSource {
  constructor(
    private readonly writer: DataSource,
    private replica: DataSource | null,
    private readonly onWriter: (reason: WriterReason) => void,
  ) {}

  query<T = unknown>(sql: string, values?: unknown[]): Promise<T> {
    return this.ask((server) => server.query<T>(sql, values));
  }

  rowArrays<Row extends readonly unknown[]>(sql: string, values: unknown[]): Promise<Row[]> {
    return this.ask((server) => rowArrays<Row>(server, sql, values));
  }

  /** Switches to the writer for rows the replica may lack. @returns false when already there: the row does not exist */
  toWriter(reason: WriterReason = 'missing'): boolean {
    if (!this.replica) return false;
    this.replica = null;
    this.onWriter(reason);
    return true;
  }

  /** Repeats on the writer what the replica refuses: it may lack a new table. */
  private async ask<T>(read: (server: DataSource) => Promise<T>): Promise<T> {
    const { replica } = this;
    if (!replica) return read(this.writer);
    try {
      return await read(replica);
    } catch {
      this.toWriter('fault');
      return read(this.writer);
    }
  }
}
