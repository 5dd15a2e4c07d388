import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { safeError } from '../../../platform/observability/index.js';
import { KEPT_MS } from '../domain/webhook.js';
import { WebhookRemains } from '../persistence/webhook-remains.js';

const ROUND_EVERY_MS = 60_000;

/** Once a minute: what is older than 30 days goes, and what removed endpoints left behind. */
@Injectable()
export class WebhookSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSweeper.name);
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly remains: WebhookRemains) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running ??= this.sweep()
        .catch((error: unknown) => this.logger.warn({ err: safeError(error) }, 'sweep failed, trying again'))
        .finally(() => {
          this.running = null;
        });
    }, ROUND_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  async sweep(): Promise<void> {
    await this.remains.clear();
    await this.remains.prune(new Date(now().getTime() - KEPT_MS));
  }
}
