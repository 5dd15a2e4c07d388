import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Bull, { type Queue } from 'bull';
import { Redis } from 'ioredis';
import { within } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { LOCK_MS, type TurnJob, turnJobId } from './queues.js';

const ADD_TIMEOUT_MS = 3_000;
/** A queue never closes while Redis is away. */
const CLOSE_MS = 2_000;

/**
 * The queues of turns, by name, each made when it is first asked for. Bull on Redis: MySQL is the truth, so completed and
 * failed jobs are removed, and an emptied Redis is refilled by the relay. The prefix stands in braces so that all keys of a
 * queue share a hash slot on Redis Cluster.
 */
@Injectable()
export class TurnQueues implements OnApplicationShutdown {
  private readonly queues = new Map<string, Queue<TurnJob>>();

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /**
   * Puts turns at the tail of their queue.
   * @throws at once while Redis is away, and when it does not answer within 3 s; a job that was added all the same is
   * harmless
   */
  async add(queue: string, jobs: readonly TurnJob[]): Promise<void> {
    const bull = this.get(queue);
    // Without a connection ioredis would keep every command in memory until there is one again.
    if (!this.isReady(queue)) throw new Error('Redis is not connected');
    const adding = bull.addBulk(jobs.map((job) => ({ data: job, opts: { jobId: turnJobId(job) } })));
    if ((await within(ADD_TIMEOUT_MS, adding)) === null) throw new Error('Redis did not answer');
  }

  /** Whether Redis can be asked to take jobs. */
  isReady(queue: string): boolean {
    return this.get(queue).client.status === 'ready';
  }

  get(name: string): Queue<TurnJob> {
    let queue = this.queues.get(name);
    if (!queue) {
      queue = this.open(name);
      this.queues.set(name, queue);
    }
    return queue;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => within(CLOSE_MS, queue.close(true))));
  }

  private open(name: string): Queue<TurnJob> {
    return new Bull<TurnJob>(name, {
      prefix: `{${this.environment.REDIS_PREFIX}}`,
      // Bull needs connections that never give up (blocking reads wait for ever); only the relay adds, within a time limit.
      createClient: () =>
        new Redis(this.environment.REDIS_URL, {
          maxRetriesPerRequest: null,
          enableReadyCheck: false,
          retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
        }),
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      settings: { lockDuration: LOCK_MS, stalledInterval: 5_000, maxStalledCount: 10 },
    });
  }
}
