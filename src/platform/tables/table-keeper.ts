import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DutyGate, SharedTask } from '../duties/index.js';
import { safeError } from '../observability/index.js';
import { DayMaker } from './day-maker.js';
import { Retention } from './retention.js';

const LOOK_EVERY_MS = 10 * 60_000;

/**
 * Every ten minutes, one worker for all: days to come get their partition, and what is no longer kept goes. Most looks find
 * nothing to do. The first comes after ten minutes, since the start of an installation makes its days by itself (`prepare`).
 */
@Injectable()
export class TableKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TableKeeper.name);
  private readonly task: SharedTask;

  constructor(
    gate: DutyGate,
    private readonly days: DayMaker,
    private readonly retention: Retention,
  ) {
    this.task = new SharedTask(gate, {
      name: 'tables',
      everyMs: LOOK_EVERY_MS,
      work: () => this.look(),
      onFault: () => undefined, // each duty says what went wrong
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async look(): Promise<void> {
    const isStopped = (): boolean => this.task.isStopped;
    await this.attempt('days could not be made, trying again', () => this.days.makeDays());
    await this.attempt('old rows could not be removed, trying again', () => this.retention.removeAged(isStopped));
    await this.attempt('old campaigns could not be removed, trying again', () => this.retention.removeOver(isStopped));
  }

  /** One duty that fails keeps no other from its turn. */
  private async attempt(fault: string, duty: () => Promise<void>): Promise<void> {
    await duty().catch((error: unknown) => this.logger.warn({ err: safeError(error) }, fault));
  }
}
