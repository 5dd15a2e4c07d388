import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { safeError } from '../../platform/observability/index.js';
import { IdempotencyKeys } from './persistence/idempotency-keys.js';

const SWEEP_EVERY_MS = 60_000;

/** Once a minute: removes keys whose 24 hours are over. Any number of workers may do so side by side. */
@Injectable()
export class KeySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(KeySweeper.name);
  private readonly task = new PeriodicTask(
    SWEEP_EVERY_MS,
    () => this.sweep(),
    (error) => this.logger.warn({ err: safeError(error) }, 'keys could not be removed'),
  );

  constructor(private readonly keys: IdempotencyKeys) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Removes all that is expired; ends early when the process stops. */
  private async sweep(): Promise<void> {
    while ((await this.keys.prune()) && !this.task.isStopped);
  }
}
