import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import type { Job } from 'bull';
import { within } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { type LaneJob, LaneQueues } from '../../../platform/queues/index.js';
import { RouteConnections } from '../../providers/index.js';
import { LaneRunner } from '../dispatch/lane-runner.js';
import { Relay } from '../dispatch/relay.js';
import { WorkerQueues } from '../dispatch/worker-queues.js';
import { ReceiptSweeper } from '../receipts/receipt-sweeper.js';

/** How long a queue may take to close: it never does while Redis is away. */
const CLOSE_MS = 2_000;

/** Serves the selected queues: one turn of one lane a job, the next turn at the tail of the queue. */
@Injectable()
export class LaneProcessor implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
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

  /** Connected before the relay adds the first job. */
  onModuleInit(): void {
    for (const name of this.selected.names) this.queues.get(name);
  }

  async onApplicationBootstrap(): Promise<void> {
    const channels = this.selected.served;
    // Bound early: receipts of earlier messages come over any bound session.
    await this.connections.openAll(channels.map(({ routes }) => routes).filter((kind) => kind !== 'chat'));
    for (const { name } of channels) {
      const queue = this.queues.get(name);
      queue.on('error', (error) => this.logger.warn({ err: error, queue: name }, 'queue'));
      void queue.process(this.environment.WORKER_CONCURRENCY, (job: Job<LaneJob>) => this.track(name, job.data));
    }
  }

  /** Drains: no new turn, windows under way settle, then the carriers' sessions close after their last receipts. */
  async beforeApplicationShutdown(): Promise<void> {
    this.runner.stop();
    // Other workers take the jobs that wait; not waited for, because it never answers while Redis is away.
    for (const channel of this.selected.names)
      this.queues
        .get(channel)
        .pause(true, true)
        .catch(() => undefined);
    await this.relay.stop();
    await this.sweeper.stop();
    await Promise.allSettled(this.running);
    await this.connections.closeAll();
    await Promise.allSettled(
      this.selected.names.map((channel) => within(CLOSE_MS, this.queues.get(channel).close(true))),
    );
  }

  private track(channel: string, job: LaneJob): Promise<void> {
    const work = this.turn(channel, job);
    this.running.add(work);
    return work.finally(() => this.running.delete(work));
  }

  /** A fault ends the turn and is logged; the lane's lease and `wake_at` bring the next one. */
  private async turn(channel: string, job: LaneJob): Promise<void> {
    try {
      const next = await this.runner.run(job);
      if (next) await this.queues.add(channel, [next]);
    } catch (error) {
      this.logger.error({ err: error, campaign: job.campaignId, lane: job.lane }, 'a turn of a lane failed');
    }
  }
}
