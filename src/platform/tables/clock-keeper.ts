import { performance } from 'node:perf_hooks';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { SingleRun } from '../concurrency/index.js';
import { CLOCK_BACK, type ClockStep, DueWatch, DutyGate } from '../duties/index.js';
import { safeError } from '../observability/index.js';
import { Moments } from './moments.js';

const AGAIN_MS = 5_000;
/** A statement is ended after 25 s, and no transaction has two that long: what was under way at a step is committed by then. */
const LONGEST_TRANSACTION_MS = 30_000;
/** What is late by no more comes by itself: among waits of so long one that was set right already cannot be told. */
const LATE_MS = 150_000;

/** What the clock showed just before a step back, milliseconds since 1970, and when that was by `performance.now()`. */
interface Former {
  clock: number;
  at: number;
}

/**
 * Sets moments right whenever the clock of the database goes back. The first process that sees a step does so for all of
 * them: a second time would end waits too early by as much again. What a transaction that was under way has committed after
 * that is set right when all of those are over.
 */
@Injectable()
export class ClockKeeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ClockKeeper.name);
  private readonly runs = new SingleRun((error) => {
    this.logger.warn({ err: safeError(error) }, 'moments could not be set right, trying again');
    this.later(AGAIN_MS);
  });
  protected readonly patienceMs: number = LONGEST_TRANSACTION_MS;
  private readonly timers = new Set<NodeJS.Timeout>();
  /** what is still to be set right, milliseconds */
  private back = 0;
  /** steps behind which the transactions that were under way are over */
  private readonly over: Former[] = [];

  constructor(
    watch: DueWatch,
    private readonly gate: DutyGate,
    private readonly moments: Moments,
  ) {
    this.runs.open();
    watch.onClockBack((step) => void this.begin(step));
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    await this.runs.stop();
  }

  private async begin({ back: backMs, clock, before }: ClockStep): Promise<void> {
    const former = { clock, at: performance.now() };
    if (!(await this.gate.isNext(CLOCK_BACK, before))) return;
    this.back += backMs;
    this.logger.warn({ milliseconds: Math.round(backMs) }, 'the clock of the database has gone back');
    this.later(this.patienceMs, () => this.over.push(former));
    await this.runs.request(() => this.repair());
  }

  private later(milliseconds: number, first?: () => void): void {
    if (this.runs.isStopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      first?.();
      void this.runs.request(() => this.repair());
    }, milliseconds);
    this.timers.add(timer);
  }

  private async repair(): Promise<void> {
    const { back } = this;
    if (back > 0) await this.moments.repair(back, () => this.runs.isStopped);
    this.back -= back;
    for (let former = this.over[0]; former; former = this.over[0]) {
      await this.repairLate(former);
      this.over.shift();
    }
  }

  /** What was committed after a step with moments of before it: but for the longest waits nothing else lies so far ahead. */
  private async repairLate({ clock, at }: Former): Promise<void> {
    const back = clock + (performance.now() - at) - (await this.moments.clock());
    if (back <= LATE_MS) return;
    await this.moments.repair(back, () => this.runs.isStopped, clock - LONGEST_TRANSACTION_MS);
  }
}
