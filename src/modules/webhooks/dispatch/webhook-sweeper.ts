import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { KEPT_MS } from '../domain/webhook.js';
import { WebhookRetention } from '../persistence/webhook-retention.js';

const SWEEP_EVERY_MS = 60_000;

/** Once a minute: what is older than 30 days goes, and what removed endpoints left behind. */
@Injectable()
export class WebhookSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSweeper.name);
  private readonly task = new PeriodicTask(
    SWEEP_EVERY_MS,
    () => this.sweep(),
    (error) => this.logger.warn({ err: safeError(error) }, 'sweep failed, trying again'),
  );

  constructor(private readonly retention: WebhookRetention) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async sweep(): Promise<void> {
    await this.retention.clear();
    await this.retention.prune(new Date(now().getTime() - KEPT_MS));
  }
}
