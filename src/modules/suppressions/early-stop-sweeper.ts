import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { DueWatch } from '../../platform/duties/index.js';
import { safeError } from '../../platform/observability/index.js';
import { EarlyStops, IS_ANY_EARLY } from './persistence/early-stops.js';

/** Looks again at stop words that came before their message was noted; one process does so for all. */
@Injectable()
export class EarlyStopSweeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(EarlyStopSweeper.name);
  private readonly looks: SingleRun;

  constructor(watch: DueWatch, stops: EarlyStops) {
    this.looks = watch.register({
      name: 'early-stops',
      isDue: IS_ANY_EARLY,
      work: () => stops.look(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'early stop words wait, trying again'),
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.looks.stop();
  }
}
