import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PeriodicTask, SingleRun } from '../concurrency/index.js';
import { BLOCKED_SECONDS, BlockingReads, RedisClients, RedisLink } from '../redis/index.js';
import { LeaderGate, JITTER } from './leader-tasks.js';

const POLL_EVERY_MS = 500;
/** A busy process queries later, so that an idle one is first. */
const BUSY_MS = 150;
/** A smaller step corrects itself; servers of one cluster differ by less. */
const CLOCK_MARGIN_MS = 10_000;
/** A process ignores a step when its last query is older: others have handled it. */
const CLOCK_SEEN_MS = 600_000;
/** Not UNIX_TIMESTAMP(NOW(6)), which repeats an hour at the end of summer time in the server's zone. */
export const CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000";

/** A step back of the database's clock, as seen by one process. */
export interface ClockStep {
  /** milliseconds */
  back: number;
  /** expected time without the step, milliseconds since 1970 */
  clock: number;
  /** handled steps at this process's last query (`LeaderGate.isNext`); null = Redis was away */
  before: number | null;
}

/** Event name of these steps in `LeaderGate`. */
export const CLOCK_BACK = 'clock-back';

/** Work in a table that becomes due. */
export interface DueTask {
  /** shared by the processes that do it */
  name: string;
  /** SQL, such as `EXISTS (SELECT 1 … WHERE due_at <= UTC_TIMESTAMP(3))`; runs twice a second: use an index */
  isDue: string;
  /** Does all due work in bounded steps. Two processes may run it at once, on different rows. */
  work: () => Promise<void>;
  /** receives the rejection of a run */
  onFault: (error: unknown) => void;
}

/** Checks all kinds of due work with one statement, twice a second, in one process for all (docs/decisions/0038). */
@Injectable()
export class DueWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueWatch.name);
  private readonly tasks: { task: DueTask; runs: SingleRun }[] = [];
  private gateName = '';
  private readonly clockListeners: ((step: ClockStep) => void)[] = [];
  /** the database's clock at the last query, and `performance.now()` at its answer */
  private seen: { clock: number; by: number; steps: number | null } | null = null;
  private readonly task = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: error }, 'due work could not be queried, trying again'),
    JITTER,
  );

  constructor(
    private readonly gate: LeaderGate,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Adds work, before the start. @returns its runs: `request` starts one; the feature stops them at shutdown */
  register(task: DueTask): SingleRun {
    const runs = new SingleRun(task.onFault);
    runs.open();
    this.tasks.push({ task, runs });
    return runs;
  }

  /** Called when the database's clock has gone back by more than ten seconds. @param listen must not throw */
  onClockBack(listen: (step: ClockStep) => void): void {
    this.clockListeners.push(listen);
  }

  onApplicationBootstrap(): void {
    if (this.tasks.length === 0) return;
    // Processes with other tasks query separately.
    const names = this.tasks.map(({ task }) => task.name).sort();
    this.gateName = `due-${createHash('sha256').update(names.join()).digest('base64url').slice(0, 12)}`;
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async poll(): Promise<void> {
    if (this.tasks.some(({ runs }) => runs.isBusy)) await sleep(BUSY_MS);
    if (!(await this.gate.isMine(this.gateName, POLL_EVERY_MS))) return;
    // Read before the clock: a step handled in between counts as later.
    const steps = this.clockListeners.length > 0 ? await this.gate.seenTo(CLOCK_BACK) : null;
    const columns = this.tasks.map(({ task }, index) => `${task.isDue} AS d${index}`);
    const asked = performance.now();
    const [row] = await this.dataSource.query<Record<string, unknown>[]>(
      `SELECT ${columns.join(', ')}, ${CLOCK} AS clock`,
    );
    this.watchClock(asked, Number(row?.['clock']), steps);
    for (const [index, { task, runs }] of this.tasks.entries()) {
      if (Number(row?.[`d${index}`]) === 1) void runs.run(task.work);
    }
  }

  /** @param asked clock of `performance.now()` @param steps handled before the query */
  private watchClock(asked: number, clock: number, steps: number | null): void {
    const { seen } = this;
    this.seen = { clock, by: performance.now(), steps };
    if (!seen || asked - seen.by >= CLOCK_SEEN_MS) return;
    const expected = seen.clock + (asked - seen.by);
    const step = { back: expected - clock, clock: expected, before: seen.steps };
    if (step.back > CLOCK_MARGIN_MS) for (const listen of this.clockListeners) listen(step);
  }
}

/** Calls of one name within this time are merged. */
const GATHERED_MS = 5;
/** Lifetime of a call that no process takes. */
const KEPT_MS = 60_000;

/** Wakes the listener that waits longest, before the next check. Only a hint: `DueWatch` finds work of lost calls. */
@Injectable()
export class WakeCalls implements OnApplicationShutdown {
  private readonly pending = new Map<string, NodeJS.Timeout>();
  private readonly listeners = new Map<string, () => Promise<void>>();
  private readonly reads: BlockingReads;
  private hasEnded = false;

  constructor(
    clients: RedisClients,
    private readonly redis: RedisLink,
  ) {
    this.reads = new BlockingReads(clients);
  }

  /** Wakes one listener soon; never waits or fails. Without Redis, only a listener of this process. */
  wake(name: string): void {
    if (this.pending.has(name) || this.hasEnded) return;
    const timer = setTimeout(() => {
      this.pending.delete(name);
      this.call(name);
    }, GATHERED_MS);
    this.pending.set(name, timer);
  }

  /** Takes calls of a name, one at a time; others go to other processes meanwhile. @param work must not reject */
  listen(name: string, work: () => Promise<void>): void {
    this.listeners.set(name, work);
    this.reads.start((connection) => connection.blpop(this.key(name), BLOCKED_SECONDS), work);
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    for (const timer of this.pending.values()) clearTimeout(timer);
    this.reads.end();
  }

  private key(name: string): string {
    return `${this.redis.prefix}:wake:${name}`;
  }

  private call(name: string): void {
    const { client, ready } = this.redis;
    if (!ready) return void this.listeners.get(name)?.();
    const key = this.key(name);
    // One pending call is enough.
    const calls = client.multi().lpush(key, '').ltrim(key, 0, 0).pexpire(key, KEPT_MS);
    calls.exec().catch(() => undefined);
  }
}
