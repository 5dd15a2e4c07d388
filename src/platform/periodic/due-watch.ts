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
import { BLOCKED_SECONDS, BlockingReads, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';
import { LeaderGate, JITTER } from './leader-tasks.js';

const LOOK_EVERY_MS = 500;
/** How much later than its tick a process that is at work looks: by then an idle one has, if there is any. */
const BUSY_MS = 150;
/** What is late by no more mends itself meanwhile; servers of one cluster differ by less. */
const CLOCK_MARGIN_MS = 10_000;
/** A step that others saw longer ago is not told again by a process whose turn comes so late, milliseconds. */
const CLOCK_SEEN_MS = 600_000;
/** Not UNIX_TIMESTAMP(NOW(6)): that repeats an hour where the server's own zone leaves summer time. */
export const CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000";

/** A step back of the database's clock, as one process has seen it. */
export interface ClockStep {
  /** how far, milliseconds */
  back: number;
  /** what the clock would show now without it, milliseconds since 1970 */
  clock: number;
  /** steps that all processes had seen to when this one looked before (`LeaderGate.isNext`); null = Redis was away */
  before: number | null;
}

/** Name of these steps among the events that one process sees to. */
export const CLOCK_BACK = 'clock-back';

/** Work that waits in a table until its moment comes. */
export interface LeaderTask {
  /** the processes that share it use the same */
  name: string;
  /**
   * SQL: true while there is something to do, such as `EXISTS (SELECT 1 FROM sends WHERE due_at <= UTC_TIMESTAMP(3))`.
   * One step in an index: it is asked twice a second.
   */
  isDue: string;
  /**
   * Does what is due, in bounded steps, until nothing is. Two processes may do so at once: each takes rows that the
   * other does not.
   */
  work: () => Promise<void>;
  /** is given what a run has rejected with */
  onFault: (error: unknown) => void;
}

/**
 * Looks for due work of every kind with one statement, twice a second and one process for all: an installation at rest
 * asks as much with fifty processes as with one (docs/decisions/0038).
 */
@Injectable()
export class DueWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueWatch.name);
  private readonly tasks: { task: LeaderTask; runs: SingleRun }[] = [];
  private gateName = '';
  private readonly clockListeners: ((step: ClockStep) => void)[] = [];
  /** what the last look of this process saw of the database's clock, and when by `performance.now()` its answer was there */
  private seen: { clock: number; by: number; steps: number | null } | null = null;
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'due work could not be looked for, trying again'),
    JITTER,
  );

  constructor(
    private readonly gate: LeaderGate,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * Before the process is up; from then on the work is done whenever it is due.
   * @returns the runs of it: `request` makes one at once, and the feature stops them when its time has come
   */
  register(task: LeaderTask): SingleRun {
    const runs = new SingleRun(task.onFault);
    runs.open();
    this.tasks.push({ task, runs });
    return runs;
  }

  /**
   * Is called when the clock of the database has gone back (by more than ten seconds) since this process looked last.
   * @param listen never throws
   */
  onClockBack(listen: (step: ClockStep) => void): void {
    this.clockListeners.push(listen);
  }

  onApplicationBootstrap(): void {
    if (this.tasks.length === 0) return;
    // Processes with other duties have a look of their own.
    const names = this.tasks.map(({ task }) => task.name).sort();
    this.gateName = `due-${createHash('sha256').update(names.join()).digest('base64url').slice(0, 12)}`;
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async look(): Promise<void> {
    if (this.tasks.some(({ runs }) => runs.isBusy)) await sleep(BUSY_MS);
    if (!(await this.gate.isMine(this.gateName, LOOK_EVERY_MS))) return;
    // before the clock is read: a step that another process has seen to since then is counted after it
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

  /** @param asked clock of `performance.now()` @param steps that had been seen to when it was asked */
  private watchClock(asked: number, clock: number, steps: number | null): void {
    const { seen } = this;
    this.seen = { clock, by: performance.now(), steps };
    if (!seen || asked - seen.by >= CLOCK_SEEN_MS) return;
    const expected = seen.clock + (asked - seen.by);
    const step = { back: expected - clock, clock: expected, before: seen.steps };
    if (step.back > CLOCK_MARGIN_MS) for (const listen of this.clockListeners) listen(step);
  }
}

/** Calls of one name within so long are one. */
const GATHERED_MS = 5;
/** A call that no process has taken by then is forgotten. */
const KEPT_MS = 60_000;

/**
 * Wakes one of the processes that listen to a name, the one that waits longest, so that work that is due now need not
 * wait for the next look. Only a hint: calls are lost with Redis or with the process that took one, and the look
 * (`DueWatch`) finds the work by itself.
 */
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

  /** Wakes one listener soon. Never waits and never fails; without Redis it reaches the listener of this process only. */
  wake(name: string): void {
    if (this.pending.has(name) || this.hasEnded) return;
    const timer = setTimeout(() => {
      this.pending.delete(name);
      this.call(name);
    }, GATHERED_MS);
    this.pending.set(name, timer);
  }

  /**
   * Takes the calls of a name, one at a time: while `work` runs, the next one goes to another process.
   * @param work never rejects
   */
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
    // At most one waits to be taken: it stands for all.
    const calls = client.multi().lpush(key, '').ltrim(key, 0, 0).pexpire(key, KEPT_MS);
    calls.exec().catch(() => undefined);
  }
}
