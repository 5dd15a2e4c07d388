import { performance } from 'node:perf_hooks';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { SingleRun } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { DueWatch, WakeCalls } from '../../../platform/periodic/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { WEBHOOK_CALLS } from '../endpoints.store.js';
import { DeliveryQueue, type HeldEndpoint, IS_ANY_ENDPOINT_DUE } from './delivery-queue.store.js';
import { DeliveryResults } from './delivery-results.store.js';
import { DeliveryRun } from './delivery-run.js';
import { WebhookSender } from './webhook-sender.js';

const MOST_RUNS = 500;
// Few per transaction: it stays short and leaves endpoints to other workers.
const TAKEN_AT_ONCE = 100;

/** Polls for due endpoints when notified, and starts a run for each. MySQL decides what is due; several workers may poll. */
@Injectable()
export class WebhookDispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookDispatcher.name);
  private readonly runs = new Map<number, { run: DeliveryRun; done: Promise<void> }>();
  private readonly polls: SingleRun;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    watch: DueWatch,
    private readonly calls: WakeCalls,
    private readonly queue: DeliveryQueue,
    private readonly results: DeliveryResults,
    private readonly sender: WebhookSender,
  ) {
    this.polls = watch.register({
      name: 'webhooks',
      isDue: IS_ANY_ENDPOINT_DUE,
      work: () => this.poll(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'due webhooks could not be read'),
    });
  }

  onApplicationBootstrap(): void {
    this.calls.listen(WEBHOOK_CALLS, () => this.pollAtOnce());
  }

  /** Settles running tries before the process ends. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.polls.stop();
    for (const { run } of this.runs.values()) run.end();
    await Promise.all([...this.runs.values()].map(({ done }) => done));
  }

  private get isFull(): boolean {
    return this.runs.size >= MOST_RUNS;
  }

  private pollAtOnce(): Promise<void> {
    return this.polls.request(() => this.poll());
  }

  private async poll(): Promise<void> {
    for (let mayBeMore = true; mayBeMore && !this.isFull && !this.polls.isStopped;) {
      const claimedAt = performance.now();
      const most = Math.min(TAKEN_AT_ONCE, MOST_RUNS - this.runs.size);
      const found = await this.queue.take(most, this.environment.WEBHOOK_LEASE);
      for (const endpoint of found.endpoints) await this.begin(endpoint, claimedAt);
      ({ mayBeMore } = found);
    }
  }

  private async begin(held: HeldEndpoint, claimedAt: number): Promise<void> {
    const { id } = held;
    // An earlier run has outlived its lease and still records its sends.
    if (this.runs.has(id)) return this.queue.putBack(id, held.fence);
    const { environment, queue, results, sender, logger } = this;
    const isCrowded = (): boolean => this.isFull;
    const run = new DeliveryRun({ environment, queue, results, sender, logger, isCrowded }, held, claimedAt);
    const done = run
      .run()
      .catch((error: unknown) => this.logger.warn({ err: safeError(error), webhook: id }, 'a delivery run failed'))
      .finally(() => this.leave(id));
    this.runs.set(id, { run, done });
  }

  private leave(id: number): void {
    const wasFull = this.isFull;
    this.runs.delete(id);
    if (wasFull) void this.pollAtOnce();
  }
}
