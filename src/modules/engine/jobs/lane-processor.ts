import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Job } from 'bull';
import { within } from '../../../kernel/within.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type LaneJob, LaneQueues, type QueueName } from '../../../platform/queues/index.js';
import { RouteConnections } from '../../providers/index.js';
import { LaneRunner } from '../dispatch/lane-runner.js';
import { Relay } from '../dispatch/relay.js';
import { WorkerQueues } from '../dispatch/worker-queues.js';
import { ReceiptSweeper } from '../receipts/receipt-sweeper.js';

/** How long a queue may take to close: it never does while Redis is away. */
const CLOSE_MS = 2_000;

/** Serves the selected queues: one turn of one lane a job, the next turn at the tail of the queue. */
@Injectable()
export class LaneProcessor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LaneProcessor.name);
  private readonly running = new Set<Promise<void>>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly queues: LaneQueues,
    private readonly runner: LaneRunner,
    private readonly relay: Relay,
    private readonly sweeper: ReceiptSweeper,
    private readonly connections: RouteConnections,
    private readonly selected: WorkerQueues,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const channels = this.selected.channels;
    // Bound early: receipts of earlier messages come over any bound session.
    await this.connections.openAll(
      channels.filter((name) => name === 'sms' || name === 'unofficial' || name === 'voice'),
    );
    for (const channel of channels) {
      const queue = this.queues.get(channel);
      queue.on('error', (error) => this.logger.warn({ err: error, queue: channel }, 'queue'));
      void queue.process(this.environment.WORKER_CONCURRENCY, (job: Job<LaneJob>) => this.track(channel, job.data));
    }
  }

  /** Drains: no new turn, windows under way settle, then the carriers' sessions close after their last receipts. */
  async beforeApplicationShutdown(): Promise<void> {
    this.runner.stop();
    // Other workers take the jobs that wait; not waited for, because it never answers while Redis is away.
    for (const channel of this.selected.channels)
      this.queues
        .get(channel)
        .pause(true, true)
        .catch(() => undefined);
    await this.relay.stop();
    await this.sweeper.stop();
    await Promise.allSettled(this.running);
    await this.connections.closeAll();
    await Promise.allSettled(
      this.selected.channels.map((channel) => within(CLOSE_MS, this.queues.get(channel).close(true))),
    );
  }

  private track(channel: QueueName, job: LaneJob): Promise<void> {
    const work = this.turn(channel, job);
    this.running.add(work);
    return work.finally(() => this.running.delete(work));
  }

  /** A fault ends the turn and is told; the lane's lease and `wake_at` bring the next one. */
  private async turn(channel: QueueName, job: LaneJob): Promise<void> {
    try {
      const next = await this.runner.run(job);
      if (next) await this.queues.add(channel, [next]);
    } catch (error) {
      this.logger.error({ err: error, campaign: job.campaignId, lane: job.lane }, 'a turn of a lane failed');
    }
  }
}
