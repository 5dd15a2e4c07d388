import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { SingleRun } from '../concurrency/index.js';
import { CLOCK_BACK, type ClockStep, DueWatch, DutyGate } from '../duties/index.js';
import { safeError } from '../observability/index.js';
import { Moments } from './moments.js';

const AGAIN_MS = 5_000;

/**
 * Sets moments right whenever the clock of the database goes back. The first process that sees a step does so for all of
 * them: a second time would end waits too early by as much again.
 */
@Injectable()
export class ClockKeeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ClockKeeper.name);
  private readonly runs = new SingleRun((error) => {
    this.logger.warn({ err: safeError(error) }, 'moments could not be set right, trying again');
    this.timer = setTimeout(() => void this.runs.run(() => this.repair()), AGAIN_MS);
  });
  private timer: NodeJS.Timeout | undefined;
  /** what is still to be set right, milliseconds */
  private back = 0;

  constructor(
    watch: DueWatch,
    private readonly gate: DutyGate,
    private readonly moments: Moments,
  ) {
    this.runs.open();
    watch.onClockBack((step) => void this.begin(step));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.runs.stop();
  }

  private async begin({ back: backMs, before }: ClockStep): Promise<void> {
    if (!(await this.gate.isNext(CLOCK_BACK, before))) return;
    this.back += backMs;
    this.logger.warn({ milliseconds: Math.round(backMs) }, 'the clock of the database has gone back');
    await this.runs.request(() => this.repair());
  }

  private async repair(): Promise<void> {
    const { back } = this;
    await this.moments.repair(back, () => this.runs.isStopped);
    this.back -= back;
  }
}
