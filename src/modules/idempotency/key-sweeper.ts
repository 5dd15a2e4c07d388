import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { safeError } from '../../platform/observability/index.js';
import { IdempotencyKeys } from './persistence/idempotency-keys.js';

const ROUND_EVERY_MS = 60_000;

/** Once a minute: removes keys whose 24 hours are over. Any number of workers may do so side by side. */
@Injectable()
export class KeySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(KeySweeper.name);
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly keys: IdempotencyKeys) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running ??= this.sweep()
        .catch((error: unknown) => this.logger.warn({ err: safeError(error) }, 'keys could not be removed'))
        .finally(() => {
          this.running = null;
        });
    }, ROUND_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.running;
  }

  /** Removes all that is expired; ends early when the process stops. */
  async sweep(): Promise<void> {
    while ((await this.keys.prune()) && this.timer);
  }
}
