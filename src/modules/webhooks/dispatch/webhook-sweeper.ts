import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { DutyGate, SharedTask } from '../../../platform/duties/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { KEPT_DAYS } from '../domain/webhook.js';
import { EndpointMoments } from '../persistence/endpoint-moments.js';
import { WebhookRetention } from '../persistence/webhook-retention.js';

const SWEEP_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Once a minute: what waits for a disabled endpoint for 30 days goes, and what removed endpoints left behind; and endpoints whose moment was
 * missed are due.
 */
@Injectable()
export class WebhookSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSweeper.name);
  private readonly task: SharedTask;

  constructor(
    gate: DutyGate,
    private readonly moments: EndpointMoments,
    private readonly retention: WebhookRetention,
  ) {
    this.task = new SharedTask(gate, {
      name: 'webhook-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => this.sweep(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'sweep failed, trying again'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async sweep(): Promise<void> {
    await this.moments.repair();
    await this.retention.clear();
    await this.retention.prune(new Date(now().getTime() - KEPT_DAYS * DAY_MS));
  }
}
