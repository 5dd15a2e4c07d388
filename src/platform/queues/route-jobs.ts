import type { Queue } from 'bull';
import { within } from '../concurrency/index.js';

/**
 * What the keys of a queue begin with. The tag keeps them in one hash slot of a cluster, as Bull's scripts demand; that it
 * names the queue spreads the queues over the masters.
 */
export const queuePrefix = (installation: string, queue: string): string => `{${installation}:${queue}}`;

/**
 * How long a worker may hold a job without a sign of life, milliseconds; short, because a job of a killed worker blocks its
 * id until then, and harmless, because a turn that runs twice finds its lanes taken.
 */
export const LOCK_MS = 10_000;

/** How many turns of a route and class wait or run side by side, over all workers, at the most; see `routeJobId`. */
const SLOTS = 16;

/** A turn of a route. */
export interface RouteKey {
  routeId: number;
  /** messages of one recipient, or campaigns: each class has turns of its own */
  single: boolean;
}

/** A job: a turn, with what makes its id. A second job with the id of one that waits or runs is never queued. */
export interface RouteJob extends RouteKey {
  slot: number;
  /** counts the turns of a chain: the next job cannot have the id of the one that is still running */
  turn: number;
}

/** The first job of a route's turns. */
export const firstJob = ({ routeId, single }: RouteKey): RouteJob => ({ routeId, single, slot: 0, turn: 0 });
/** The job after this one, at the tail of the queue. */
export const nextJob = (job: RouteJob): RouteJob => ({ ...job, turn: (job.turn + 1) % 2 });
/** A job beside this one. */
export const besideJob = (job: RouteJob): RouteJob => ({ ...job, slot: (job.slot + 1) % SLOTS, turn: 0 });

/**
 * How long an id keeps a second job away, milliseconds. Bull adds no job while the key of one with its id is there, also
 * when Redis has lost the list that it stood in (evicted, or deleted key by key): that turn would never come. Not
 * shorter, because a turn that waits in a long queue is asked for again and again, and each new id is one more job there.
 */
const ID_LIFETIME_MS = 30_000;

/** @param at milliseconds since 1970 */
export const routeJobId = ({ routeId, single, slot, turn }: RouteJob, at = Date.now()): string =>
  `${routeId}-${single ? 'single' : 'campaign'}-${slot}-${turn}-${Math.floor(at / ID_LIFETIME_MS)}`;

const ADD_TIMEOUT_MS = 3_000;
/** How long a queue may take to close: it never does while Redis is away. */
const CLOSE_MS = 2_000;

/**
 * The queues of turns, by name, as `BullModule` has registered them. Bull on Redis: MySQL is the truth, so completed and
 * failed jobs are removed, and an emptied Redis is refilled by the relay. A processor of a queue takes no job before
 * `start`.
 */
export class JobQueues {
  private readonly queues: ReadonlyMap<string, Queue<RouteJob>>;
  private readonly stopped = new Set<string>();

  private constructor(queues: readonly Queue<RouteJob>[]) {
    this.queues = new Map(queues.map((queue) => [queue.name, queue]));
  }

  /** @param queues just made: no processor serves them yet */
  static async of(queues: readonly Queue<RouteJob>[]): Promise<JobQueues> {
    const all = new JobQueues(queues);
    for (const queue of queues) all.prepare(queue);
    await Promise.all(queues.map((queue) => queue.pause(true)));
    return all;
  }

  /**
   * Puts turns at the tail of their queue.
   * @throws at once while Redis is away, and when it does not answer within 3 s; a job that was added all the same is
   * harmless
   */
  async add(queue: string, jobs: readonly RouteJob[]): Promise<void> {
    const bull = this.get(queue);
    // Without a connection ioredis would keep every command in memory until there is one again.
    if (!this.isReady(queue)) throw new Error('Redis is not connected');
    // Not `addBulk`: in its transaction a script that Redis has forgotten stays forgotten, and nothing says so.
    const adding = Promise.all(jobs.map((job) => bull.add(job, { jobId: routeJobId(job) })));
    if ((await within(ADD_TIMEOUT_MS, adding)) === null) throw new Error('Redis did not answer');
  }

  /** Whether Redis can be asked to take jobs. */
  isReady(queue: string): boolean {
    return this.get(queue).client.status === 'ready';
  }

  /** @throws Error for a queue that this process has not registered */
  get(name: string): Queue<RouteJob> {
    const queue = this.queues.get(name);
    if (!queue) throw new Error(`this process has no queue ${name}`);
    return queue;
  }

  /** From now on the processor of the queue takes jobs. */
  start(name: string): Promise<void> {
    return this.get(name).resume(true);
  }

  /** The processor takes no further job: another worker takes those that wait. Never waits for Redis, and never fails. */
  stop(name: string): void {
    this.stopped.add(name);
    this.get(name)
      .pause(true, true)
      .catch(() => undefined);
  }

  /** Closes the queue within 2 s, whatever Redis does. What its processor has begun goes on. */
  async close(name: string): Promise<void> {
    this.stopped.add(name);
    await within(CLOSE_MS, this.get(name).close(true));
  }

  private prepare(queue: Queue<RouteJob>): void {
    const serve = queue.process.bind(queue) as (...args: unknown[]) => Promise<void>;
    const nameWorker = queue.setWorkerName.bind(queue);
    Object.assign(queue, {
      // `@nestjs/bull` never hears how serving ends, and Node ends a process for a rejection without a handler. A worker
      // that stops as it starts takes the connection away on which the queue still waits.
      process: (...args: unknown[]) =>
        serve(...args).catch((error: unknown) => {
          if (!this.stopped.has(queue.name)) throw error;
        }),
      // Bull never hears how this ends either (its lib/worker.js).
      setWorkerName: () => nameWorker().catch(() => undefined),
      // The one that `@nestjs/bull` brings waits for ever while Redis is away.
      onApplicationShutdown: () => this.close(queue.name),
    });
  }
}
