import type { Queue } from 'bull';
import { within } from '../concurrency/index.js';
import { type TurnJob, turnJobId } from './queues.js';

const ADD_TIMEOUT_MS = 3_000;
/** How long a queue may take to close: it never does while Redis is away. */
const CLOSE_MS = 2_000;

/**
 * The queues of turns, by name, as `BullModule` has registered them. Bull on Redis: MySQL is the truth, so completed and
 * failed jobs are removed, and an emptied Redis is refilled by the relay. A processor of a queue takes no job before
 * `start`.
 */
export class TurnQueues {
  private readonly queues: ReadonlyMap<string, Queue<TurnJob>>;
  private readonly stopped = new Set<string>();

  private constructor(queues: readonly Queue<TurnJob>[]) {
    this.queues = new Map(queues.map((queue) => [queue.name, queue]));
  }

  /** @param queues just made: no processor serves them yet */
  static async of(queues: readonly Queue<TurnJob>[]): Promise<TurnQueues> {
    const all = new TurnQueues(queues);
    for (const queue of queues) all.prepare(queue);
    await Promise.all(queues.map((queue) => queue.pause(true)));
    return all;
  }

  /**
   * Puts turns at the tail of their queue.
   * @throws at once while Redis is away, and when it does not answer within 3 s; a job that was added all the same is
   * harmless
   */
  async add(queue: string, jobs: readonly TurnJob[]): Promise<void> {
    const bull = this.get(queue);
    // Without a connection ioredis would keep every command in memory until there is one again.
    if (!this.isReady(queue)) throw new Error('Redis is not connected');
    // Not `addBulk`: in its transaction a script that Redis has forgotten stays forgotten, and nothing says so.
    const adding = Promise.all(jobs.map((job) => bull.add(job, { jobId: turnJobId(job) })));
    if ((await within(ADD_TIMEOUT_MS, adding)) === null) throw new Error('Redis did not answer');
  }

  /** Whether Redis can be asked to take jobs. */
  isReady(queue: string): boolean {
    return this.get(queue).client.status === 'ready';
  }

  /** @throws Error for a queue that this process has not registered */
  get(name: string): Queue<TurnJob> {
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

  private prepare(queue: Queue<TurnJob>): void {
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
