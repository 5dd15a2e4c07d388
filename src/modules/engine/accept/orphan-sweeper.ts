import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DutyGate, SharedTask } from '../../../platform/duties/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { StagedRecipients } from './staged-recipients.js';

const SWEEP_EVERY_MS = 60_000;

/** Once a minute, in the worker: removes recipients whose acceptance was killed before it wrote their campaign. */
@Injectable()
export class OrphanSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OrphanSweeper.name);
  private readonly task: SharedTask;

  constructor(gate: DutyGate, staged: StagedRecipients) {
    this.task = new SharedTask(gate, {
      name: 'orphan-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => staged.sweep(() => this.task.isStopped),
      onFault: (error) =>
        this.logger.warn({ err: safeError(error) }, 'recipients without a campaign could not be removed'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
