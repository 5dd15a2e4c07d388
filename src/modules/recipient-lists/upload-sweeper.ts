import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { DueWatch } from '../../platform/duties/index.js';
import { safeError } from '../../platform/observability/index.js';
import { IS_ANY_LEFT, Leftovers } from './persistence/leftovers.js';

/** Removes uploads that have expired, and what removed or broken off ones have left: it counts for its account until then. */
@Injectable()
export class UploadSweeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UploadSweeper.name);
  private readonly sweeps: SingleRun;

  constructor(watch: DueWatch, leftovers: Leftovers) {
    this.sweeps = watch.register({
      name: 'recipient-leftovers',
      isDue: IS_ANY_LEFT,
      work: () => leftovers.sweep(() => this.sweeps.isStopped),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'uploads and lists could not be removed'),
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sweeps.stop();
  }
}
