import { OnQueueCompleted, OnQueueError, Process, Processor } from '@nestjs/bull';
import {
  type BeforeApplicationShutdown,
  type FactoryProvider,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Job } from 'bull';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { besideJob, firstJob, nextJob, queueOf, type RouteJob, routeJobId } from '../../platform/queues/index.js';
import { RouteConnections } from '../providers/index.js';
import { HeldJobs, SlotOwners, JobOffers, WorkerQueues } from './dispatch/job-routing.js';
import { Relay } from './dispatch/relay.js';
import { RouteJobs } from './dispatch/route-job.js';
import { ReceiptSweeper } from './receipts/receipt-sweeper.js';

/** Consecutive jobs of a slowly paced route in one worker: queueing each would cost more than its batch. */
const MOST_KEPT_JOBS = 8;

type JobOutcome = 'more' | 'idle';

/** Processes the selected queues: one route job at a time, the next one at the tail of the queue. */
@Injectable()
export class RouteProcessor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RouteProcessor.name);
  private readonly running = new Set<Promise<JobOutcome>>();
  /** delayed jobs; if this worker dies, the relay finds the lanes */
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private stopping = false;

  constructor(
    private readonly jobs: RouteJobs,
    private readonly relay: Relay,
    private readonly sweeper: ReceiptSweeper,
    private readonly connections: RouteConnections,
    private readonly selected: WorkerQueues,
    private readonly offers: JobOffers,
    private readonly held: HeldJobs,
    private readonly owners: SlotOwners,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const channels = this.selected.served;
    // Early, because receipts of earlier messages arrive over any bound session.
    await this.connections.openAll(channels.map(({ routes }) => routes).filter((kind) => kind !== 'chat'));
    if (this.stopping) return;
    await this.selected.start();
    this.held.start((...job) => this.takeHeld(...job));
  }

  /** Drains: no new job, batches finish, then carrier sessions close after their last receipts. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.jobs.stop();
    this.held.stop();
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.selected.stop();
    await this.relay.stop();
    await this.sweeper.stop();
    await Promise.allSettled(this.running);
    await this.connections.closeAll();
    await this.selected.close();
  }

  /** Runs a route job; resolves once its lanes are claimed, so that new messages get a job at once. */
  take(channel: string, job: RouteJob): Promise<JobOutcome> {
    return this.track(channel, job);
  }

  completed(channel: string, job: RouteJob, result: JobOutcome): void {
    if (result === 'idle') void this.checkOnce(channel, job);
  }

  private track(channel: string, job: RouteJob, isHandedOn = false): Promise<JobOutcome> {
    return new Promise((resolve, reject) => {
      const work = this.runJob(channel, job, resolve, isHandedOn);
      this.running.add(work);
      work.finally(() => this.running.delete(work)).then(resolve, reject);
    });
  }

  /** The relay queues a lost job again. */
  private async runJob(
    channel: string,
    job: RouteJob,
    isOver: (result: JobOutcome) => void,
    isHandedOn = false,
    kept = 1,
  ): Promise<JobOutcome> {
    if (this.stopping) return 'more'; // for another worker
    const { routeId, single } = job;
    if ((await this.offers.isForHolders(routeId)) && !this.held.isServed(routeId)) {
      if (isHandedOn) return 'more'; // passed once only: the relay queues it again
      // Queued by an older version, or the bind was lost since: passed to a holder once.
      this.queue(channel, job, this.offers.pass(channel, job));
      return 'more';
    }
    if (!isHandedOn && (await this.owners.handOn(channel, job))) return 'more';
    let hasClaimed = false as boolean; // set by the callback
    const end = await this.jobs.take({ channel, routeId, single }, ({ hasMore, forAnother }) => {
      hasClaimed = true;
      if (forAnother) this.add(channel, besideJob(job));
      isOver(hasMore ? 'more' : 'idle');
    });
    if (end.next) this.add(end.next.channel, firstJob(end.next));
    if (end.againMs !== null) this.addLater(channel, nextJob(job), end.againMs);
    // a job without a claim (cancel, refusal) has kept its queue permit
    if (end.more && end.keeps && hasClaimed && kept < MOST_KEPT_JOBS) return this.keep(channel, job, isOver, kept + 1);
    if (end.more) this.add(channel, nextJob(job));
    return end.isIdle ? 'idle' : 'more';
  }

  /** Runs the next job without the queue, unless the worker stops. */
  private keep(
    channel: string,
    job: RouteJob,
    isOver: (result: JobOutcome) => void,
    kept: number,
  ): Promise<JobOutcome> {
    if (!this.stopping) return this.runJob(channel, job, isOver, false, kept);
    this.add(channel, nextJob(job));
    return Promise.resolve('more');
  }

  private async takeHeld(channel: string, job: RouteJob, isHandedOn: boolean): Promise<void> {
    try {
      const result = await this.track(channel, job, isHandedOn);
      if (result === 'idle') await this.checkOnce(channel, job);
    } catch (error) {
      this.logger.error({ err: error, channel, ...job }, 'a route job failed');
    }
  }

  /** Notifications during an active job of the route are dropped, so the last job checks once more. */
  private async checkOnce(channel: string, { routeId, single }: RouteJob): Promise<void> {
    if (this.stopping) return;
    const isDue = await this.jobs.isDue({ channel, routeId, single }).catch(() => false);
    if (isDue) this.add(channel, firstJob({ routeId, single }));
  }

  private add(channel: string, job: RouteJob): void {
    this.queue(channel, job, this.offers.add(channel, [job]));
  }

  private queue(channel: string, job: RouteJob, queueing: Promise<void>): void {
    queueing.catch((error: unknown) => {
      if (!this.stopping) this.logger.warn({ err: error, channel, ...job }, 'a route job could not be queued');
    });
  }

  private addLater(channel: string, job: RouteJob, milliseconds: number): void {
    const key = `${channel} ${routeJobId({ ...job, slot: 0, turn: 0 }, 0)}`;
    if (this.timers.has(key) || this.stopping) return;
    const timer = setTimeout(() => {
      this.timers.delete(key);
      // The job has waited for slots of this worker; another worker would book later ones.
      if (this.owners.isOwner(job.routeId)) void this.takeHeld(channel, job, false);
      else this.add(channel, job);
    }, milliseconds);
    this.timers.set(key, timer);
  }
}

/** The processor class of a channel's queue. @param concurrency jobs of one worker */
export function processorFor(channel: string, single: boolean, concurrency: number) {
  const queue = queueOf(channel, { single });
  @Processor(queue)
  class QueueProcessor {
    readonly logger = new Logger(`${queue} queue`);

    constructor(readonly jobs: Pick<RouteProcessor, 'take' | 'completed'>) {}

    @Process({ concurrency })
    take({ data }: Job<RouteJob>): Promise<JobOutcome> {
      return this.jobs.take(channel, data);
    }

    @OnQueueCompleted()
    completed({ data }: Job<RouteJob>, result: JobOutcome): void {
      this.jobs.completed(channel, data, result);
    }

    @OnQueueError()
    failed(error: Error): void {
      this.logger.warn({ err: error, queue }, 'queue');
    }
  }
  return QueueProcessor;
}

export const processorToken = (channel: string, single: boolean): string =>
  `processor of ${queueOf(channel, { single })}`;

/** Provides the processors of a channel that this worker serves (`WORKER_QUEUES`, `WORKER_CLASSES`); else null. */
export const processorProviders = (channel: string): FactoryProvider[] =>
  [false, true].map((single) => ({
    provide: processorToken(channel, single),
    inject: [ENVIRONMENT, WorkerQueues, RouteProcessor],
    useFactory: ({ WORKER_CONCURRENCY }: Environment, selected: WorkerQueues, jobs: RouteProcessor) => {
      if (!selected.takes(channel, single)) return null;
      const QueueProcessor = processorFor(channel, single, WORKER_CONCURRENCY);
      return new QueueProcessor(jobs);
    },
  }));
