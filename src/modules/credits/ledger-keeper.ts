import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DutyGate, SharedTask } from '../../platform/duties/index.js';
import { safeError } from '../../platform/observability/index.js';
import { LedgerClosings } from './persistence/ledger-closings.js';

const LOOK_EVERY_MS = 10 * 60_000;

/** Every ten minutes, one worker for all: months of the ledger that are over are closed, and those that are no longer kept go. */
@Injectable()
export class LedgerKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LedgerKeeper.name);
  private readonly task: SharedTask;

  constructor(
    gate: DutyGate,
    private readonly closings: LedgerClosings,
  ) {
    this.task = new SharedTask(gate, {
      name: 'ledger',
      everyMs: LOOK_EVERY_MS,
      work: () => this.look(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'the ledger could not be closed, trying again'),
    });
  }

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
