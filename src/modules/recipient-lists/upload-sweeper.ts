import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DutyGate, SharedTask } from '../../platform/duties/index.js';
import { safeError } from '../../platform/observability/index.js';
import { Leftovers } from './persistence/leftovers.js';

const SWEEP_EVERY_MS = 60_000;

/** Once a minute, one worker for all: removes uploads that have expired, and what removed or broken off ones have left. */
@Injectable()
export class UploadSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(UploadSweeper.name);
  private readonly task: SharedTask;

  constructor(gate: DutyGate, leftovers: Leftovers) {
    this.task = new SharedTask(gate, {
      name: 'upload-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => leftovers.sweep(() => this.task.isStopped),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'uploads and lists could not be removed'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
