import { performance } from 'node:perf_hooks';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { DeliveryQueue } from '../persistence/delivery-queue.js';
import { DeliveryResults } from '../persistence/delivery-results.js';
import { EndpointTurn } from './endpoint-turn.js';
import { WebhookSender } from './webhook-sender.js';

const LOOK_EVERY_MS = 250;
/** Endpoints that one worker holds at once. */
const MOST_TURNS = 500;
/** While all places are taken a turn ends after so long, so that silent endpoints cannot keep the others out. */
const CROWDED_TURN_MS = 5_000;

/**
 * Looks for endpoints with something due and gives each a turn of its own. MySQL alone knows what is due; any number of
 * workers may do so side by side.
 */
@Injectable()
export class WebhookDispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookDispatcher.name);
  private readonly turns = new Map<number, { turn: EndpointTurn; since: number; done: Promise<void> }>();
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.look(),
    (error) => this.logger.warn({ err: safeError(error) }, 'webhooks could not be looked for'),
  );

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly queue: DeliveryQueue,
    private readonly results: DeliveryResults,
    private readonly sender: WebhookSender,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Tries under way are settled before the process ends. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
    for (const { turn } of this.turns.values()) turn.end();
    await Promise.all([...this.turns.values()].map(({ done }) => done));
  }

  private async look(): Promise<void> {
    const free = MOST_TURNS - this.turns.size;
    if (free <= 0) {
      const before = performance.now() - CROWDED_TURN_MS;
      for (const { turn, since } of this.turns.values()) if (since < before) turn.end();
      return;
    }
    const waiting = await this.queue.waiting(free);
    await Promise.all(waiting.map((id) => this.take(id)));
  }

  private async take(id: number): Promise<void> {
    if (this.turns.has(id)) return;
    const claimedAt = performance.now();
    const fence = await this.queue.claim(id, this.environment.WEBHOOK_LEASE);
    if (fence === null) return;
    const { environment, queue, results, sender, logger } = this;
    const turn = new EndpointTurn({ environment, queue, results, sender, logger }, id, fence, claimedAt);
    const done = turn
      .run()
      .catch((error: unknown) => this.logger.warn({ err: safeError(error), webhook: id }, 'a turn failed'))
      .finally(() => this.turns.delete(id));
    this.turns.set(id, { turn, since: claimedAt, done });
  }
}
