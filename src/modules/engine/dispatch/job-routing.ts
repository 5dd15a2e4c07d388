import { Inject, Injectable } from '@nestjs/common';
import { Semaphore } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT, InvalidEnvironment } from '../../../platform/config/index.js';
import { HolderJobs, type OnRouteJob, queueOf, type RouteJob, JobQueues } from '../../../platform/queues/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { RedisLink } from '../../../platform/redis/index.js';
import { RouteConnections, RouteDirectory, RouteHealthBoard } from '../../providers/index.js';
import type { Channel } from '../channel.js';
import { Channels } from '../channels.js';

/** Queues route jobs for all workers of a channel, or for the holders of a route's binds. */
@Injectable()
export class JobOffers {
  private readonly passed;

  constructor(
    private readonly queues: JobQueues,
    private readonly holders: HolderJobs,
    private readonly routes: RouteDirectory,
    metrics: Metrics,
  ) {
    this.passed = metrics.renamedCounter(
      'switchboard_route_jobs_handed_on_total',
      'switchboard_turns_handed_on_total',
      'Route jobs that a worker without a bind handed on',
      ['channel'],
    );
  }

  /** Passes a job to the workers with a bind. @throws while Redis is away */
  pass(channel: string, job: RouteJob): Promise<void> {
    this.passed.inc({ channel });
    return this.add(channel, [job]);
  }

  async add(channel: string, jobs: readonly RouteJob[]): Promise<void> {
    const isHeld = await Promise.all(jobs.map(({ routeId }) => this.isForHolders(routeId)));
    const held = jobs.filter((_, index) => isHeld[index]);
    const open = jobs.filter((_, index) => !isHeld[index]);
    if (held.length > 0) await this.holders.add(channel, held);
    if (open.length > 0) await this.queues.add(channel, open);
  }

  isReady(channel: string): boolean {
    return this.queues.isReady(channel);
  }

  /** Whether only holders of the route's binds may run its jobs. */
  async isForHolders(routeId: number): Promise<boolean> {
    return ((await this.routes.byId(routeId))?.binds ?? null) !== null;
  }
}

/** Channels and queues of this worker, by `WORKER_QUEUES` and `WORKER_CLASSES`; default all. */
@Injectable()
export class WorkerQueues {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly channels: Channels,
    private readonly jobs: JobQueues,
  ) {}

  /** @throws InvalidEnvironment for an unknown queue */
  get served(): readonly Channel[] {
    const wanted = this.environment.WORKER_QUEUES;
    const wrong = wanted.filter((name) => !this.channels.find(name));
    if (wrong.length > 0) {
      const known = this.channels.names.join(', ');
      throw new InvalidEnvironment(`WORKER_QUEUES: no such queue: ${wrong.join(', ')}; there are ${known}`);
    }
    return this.channels.all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  }

  get names(): string[] {
    return this.served.map(({ name }) => name);
  }

  /** Starts the processors. */
  async start(): Promise<void> {
    await Promise.all(this.queues.map((queue) => this.jobs.start(queue)));
  }

  /** Takes no further jobs; other workers take them. */
  stop(): void {
    for (const queue of this.queues) this.jobs.stop(queue);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.queues.map((queue) => this.jobs.close(queue)));
  }

  /** Whether this worker takes jobs of a channel and class from their queue. Holders of a bind take both classes. */
  takes(channel: string, single: boolean): boolean {
    const { WORKER_CLASSES: classes } = this.environment;
    return this.names.includes(channel) && (classes.length === 0 || classes.includes(single ? 'urgent' : 'campaign'));
  }

  private get queues(): string[] {
    return this.names.flatMap((channel) =>
      [false, true].flatMap((single) => (this.takes(channel, single) ? [queueOf(channel, { single })] : [])),
    );
  }
}

/** Delay until a new or lost bind changes the served routes; costs no query. */
const FOLLOW_MS = 100;

/** Runs jobs of routes with `binds` that this worker can serve, and jobs addressed to it. */
@Injectable()
export class HeldJobs {
  private readonly permits;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly jobs: HolderJobs,
    private readonly connections: RouteConnections,
    private readonly board: RouteHealthBoard,
    private readonly selected: WorkerQueues,
  ) {
    this.permits = new Semaphore(environment.WORKER_CONCURRENCY);
  }

  /** @param take runs a job; never rejects; resolves when the next job may start */
  start(take: OnRouteJob): void {
    this.jobs.listen(this.board.worker, async (...job) => {
      await this.permits.acquire(Infinity);
      void take(...job).finally(() => this.permits.release());
    });
    this.timer = setInterval(() => this.follow(), FOLLOW_MS);
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.jobs.stop();
  }

  isServed(routeId: number): boolean {
    return this.connections.serving.includes(routeId);
  }

  private follow(): void {
    const { serving } = this.connections;
    const channels = this.selected.served.filter(({ routes }) => routes !== 'chat');
    this.jobs.serve(serving.flatMap((routeId) => channels.map(({ name: channel }) => ({ channel, routeId }))));
  }
}

interface SlotOwner {
  worker: string;
  channels: readonly string[];
}

const textOf = ({ worker, channels }: SlotOwner): string => [worker, ...channels].join(' ');

function readOwner(text: string): SlotOwner {
  const [worker = '', ...channels] = text.split(' ');
  return { worker, channels };
}

/**
 * Worker with the next slots of a paced route. A single message of another worker would get a slot behind all booked ones, so
 * its job moves to the owner (docs/decisions/0023). Only hints: the relay queues a lost job again.
 */
@Injectable()
export class SlotOwners {
  private readonly own = new Map<number, number>();

  constructor(
    private readonly redis: RedisLink,
    private readonly jobs: HolderJobs,
    private readonly routes: RouteDirectory,
    private readonly board: RouteHealthBoard,
    private readonly selected: WorkerQueues,
  ) {}

  /** Publishes that this worker owns the route's next slots. Never waits, never fails. */
  publish(routeId: number, milliseconds: number): void {
    if (!this.jobs.address()) return;
    this.own.set(routeId, performance.now() + milliseconds);
    if (!this.redis.ready) return;
    const owner = textOf({ worker: this.board.worker, channels: this.selected.names });
    this.redis.client.set(this.key(routeId), owner, 'PX', Math.ceil(milliseconds)).catch(() => undefined);
  }

  isOwner(routeId: number): boolean {
    return (this.own.get(routeId) ?? 0) > performance.now();
  }

  /** Passes a job to the slot owner, once only. @returns whether it was passed */
  async handOn(channel: string, job: RouteJob): Promise<boolean> {
    const { routeId, single } = job;
    if (!single || this.isOwner(routeId)) return false;
    if (((await this.routes.byId(routeId))?.messagesPerSecond ?? null) === null) return false;
    const stored = await this.redis.answer(() => this.redis.client.get(this.key(routeId)));
    const owner = stored === null ? null : readOwner(stored);
    if (!owner?.channels.includes(channel) || owner.worker === this.board.worker) return false;
    return this.jobs.addTo(owner.worker, channel, job).then(
      () => true,
      () => false,
    );
  }

  private key(routeId: number): string {
    return `${this.redis.prefix}:home:${routeId}`;
  }
}
