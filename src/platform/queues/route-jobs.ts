import type { Queue } from 'bull';
import { within } from '../concurrency/index.js';

/** Key prefix of a queue. The hash tag keeps a queue in one cluster slot, as Bull's scripts need, and spreads the queues. */
export const queuePrefix = (installation: string, queue: string): string => `{${installation}:${queue}}`;

/** Bull's lock, milliseconds. Short: it blocks the id of a killed worker's job; a job that runs twice finds its lanes taken. */
export const LOCK_MS = 10_000;

/** Maximum parallel chains of a route and class, over all workers; see `routeJobId`. */
const SLOTS = 16;

/** A route and a class of messages. */
export interface RouteKey {
  routeId: number;
  /** single messages or campaigns; each class has its own jobs */
  single: boolean;
}

/** The Bull queues of a channel: a queue for each class, so that urgent jobs never wait behind campaigns. */
export const queueOf = (channel: string, { single }: Pick<RouteKey, 'single'>): string =>
  single ? `${channel}-urgent` : channel;
export const queuesOf = (channel: string): string[] => [false, true].map((single) => queueOf(channel, { single }));

/** A job of a route. Bull ignores a job whose id is waiting or running. */
export interface RouteJob extends RouteKey {
  slot: number;
  /** alternates, so that the next job's id differs from the running one's */
  turn: number;
}

/** The first job of a route and class. */
export const firstJob = ({ routeId, single }: RouteKey): RouteJob => ({ routeId, single, slot: 0, turn: 0 });
/** The next job of the same chain. */
export const nextJob = (job: RouteJob): RouteJob => ({ ...job, turn: (job.turn + 1) % 2 });
/** A job that runs in parallel. */
export const besideJob = (job: RouteJob): RouteJob => ({ ...job, slot: (job.slot + 1) % SLOTS, turn: 0 });

// Lifetime of an id, milliseconds: Bull adds no job while its id's key exists, even if Redis lost the queue's list. Not
// shorter: each new id of a waiting job adds one more to a long queue.
const ID_LIFETIME_MS = 30_000;

/** @param at milliseconds since 1970 */
export const routeJobId = ({ routeId, single, slot, turn }: RouteJob, at = Date.now()): string =>
  `${routeId}-${single ? 'single' : 'campaign'}-${slot}-${turn}-${Math.floor(at / ID_LIFETIME_MS)}`;

const ADD_TIMEOUT_MS = 3_000;
/** Limit for closing a queue, which never ends while Redis is away. */
const CLOSE_MS = 2_000;

/** The queues of route jobs. MySQL decides: finished jobs are removed, and the relay refills an empty Redis. See `start`. */
export class JobQueues {
  private readonly queues: ReadonlyMap<string, Queue<RouteJob>>;
  private readonly stopped = new Set<string>();

  private constructor(queues: readonly Queue<RouteJob>[]) {
    this.queues = new Map(queues.map((queue) => [queue.name, queue]));
  }

  /** @param queues new ones, without a processor yet */
  static async of(queues: readonly Queue<RouteJob>[]): Promise<JobQueues> {
    const all = new JobQueues(queues);
    for (const queue of queues) all.prepare(queue);
    await Promise.all(queues.map((queue) => queue.pause(true)));
    return all;
  }

  /** Adds jobs at the tails of the channel's queues. @throws at once without Redis, or after 3 s; a job added nevertheless is harmless */
  async add(channel: string, jobs: readonly RouteJob[]): Promise<void> {
    // ioredis would keep commands in memory until it reconnects.
    if (!this.isReady(channel)) throw new Error('Redis is not connected');
    // Not `addBulk`: in its transaction, a script missing in Redis fails silently.
    const adding = Promise.all(jobs.map((job) => this.get(queueOf(channel, job)).add(job, { jobId: routeJobId(job) })));
    if ((await within(ADD_TIMEOUT_MS, adding)) === null) throw new Error('Redis did not answer');
  }

  /** Whether Redis is connected: all queues share the connection. */
  isReady(channel: string): boolean {
    return this.get(channel).client.status === 'ready';
  }

  /** @throws Error for a queue that is not registered */
  get(name: string): Queue<RouteJob> {
    const queue = this.queues.get(name);
    if (!queue) throw new Error(`this process has no queue ${name}`);
    return queue;
  }

  /** Starts the queue's processor. */
  start(name: string): Promise<void> {
    return this.get(name).resume(true);
  }

  /** Stops taking jobs; other workers take them. Does not wait for Redis and never fails. */
  stop(name: string): void {
    this.stopped.add(name);
    this.get(name)
      .pause(true, true)
      .catch(() => undefined);
  }

  /** Closes the queue within 2 s; running jobs continue. */
  async close(name: string): Promise<void> {
    this.stopped.add(name);
    await within(CLOSE_MS, this.get(name).close(true));
  }

  private prepare(queue: Queue<RouteJob>): void {
    const serve = queue.process.bind(queue) as (...args: unknown[]) => Promise<void>;
    const nameWorker = queue.setWorkerName.bind(queue);
    Object.assign(queue, {
      // `@nestjs/bull` ignores this promise, so a rejection would end the process: stopping early closes a connection in use.
      process: (...args: unknown[]) =>
        serve(...args).catch((error: unknown) => {
          if (!this.stopped.has(queue.name)) throw error;
        }),
      // Bull ignores this promise too (its lib/worker.js).
      setWorkerName: () => nameWorker().catch(() => undefined),
      // The default waits forever while Redis is away.
      onApplicationShutdown: () => this.close(queue.name),
    });
  }
}
