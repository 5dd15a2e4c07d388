import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { SingleRun } from '../concurrency/index.js';
import { type ClockStep, DueWatch } from '../duties/index.js';
import { safeError } from '../observability/index.js';
import { RedisLink } from '../security/index.js';
import { Moments } from './moments.js';

const AGAIN_MS = 5_000;
/** Servers of one cluster differ by less, and so do the moments at which two processes look; half of the smallest step. */
const SLACK_MS = 5_000;

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
  /** what this process has marked last */
  private marked: string | null = null;

  constructor(
    watch: DueWatch,
    private readonly redis: RedisLink,
    private readonly moments: Moments,
  ) {
    this.runs.open();
    watch.onClockBack((step) => void this.begin(step));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.runs.stop();
  }

  private async begin(step: ClockStep): Promise<void> {
    if (!(await this.isFirst(step))) return;
    const { back: backMs } = step;
    this.back += backMs;
    this.logger.warn({ milliseconds: Math.round(backMs) }, 'the clock of the database has gone back');
    await this.runs.request(() => this.repair());
  }

  /**
   * Whether no other process has seen this step. Who sees one marks what the clock said then: a mark of since this process's look
   * before is of this step. One of an earlier step is not: by the clock that has gone back it lies in the future, or long ago.
   */
  private async isFirst({ clock, before }: ClockStep): Promise<boolean> {
    const { client, prefix } = this.redis;
    const [own, mark] = [this.marked, String(clock)];
    this.marked = mark;
    const found = await this.redis.answer(() => client.getset(`${prefix}:clock-back`, mark));
    if (found === null || found === own) return true;
    return Number(found) < before - SLACK_MS || Number(found) > clock + SLACK_MS;
  }

  private async repair(): Promise<void> {
    const { back } = this;
    await this.moments.repair(back, () => this.runs.isStopped);
    this.back -= back;
  }
}
