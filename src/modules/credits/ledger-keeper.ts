import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { safeError } from '../../platform/observability/index.js';
import { LedgerClosings } from './persistence/ledger-closings.js';

const LOOK_EVERY_MS = 10 * 60_000;

/** Every ten minutes: months of the ledger that are over are closed, and those that are no longer kept go. */
@Injectable()
export class LedgerKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LedgerKeeper.name);
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.look(),
    (error) => this.logger.warn({ err: safeError(error) }, 'the ledger could not be closed, trying again'),
  );

  constructor(private readonly closings: LedgerClosings) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async look(): Promise<void> {
    await this.closings.close(() => this.task.isStopped);
    await this.closings.removeOld(() => this.task.isStopped);
  }
}
