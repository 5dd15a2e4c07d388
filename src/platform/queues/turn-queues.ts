import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import Bull, { type Queue } from 'bull';
import { within } from '../concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { LOCK_MS, queuePrefix, type TurnJob, turnJobId } from './queues.js';

const ADD_TIMEOUT_MS = 3_000;
/** How long a place that could not ask for a job waits before it asks again. */
const RETRY_MS = 1_000;
/** A queue never closes while Redis is away. */
const CLOSE_MS = 2_000;

/**
 * The queues of turns, by name, each made when it is first asked for. Bull on Redis: MySQL is the truth, so completed and
 * failed jobs are removed, and an emptied Redis is refilled by the relay. All queues share one connection for commands and
 * one for what Redis publishes; each has one of its own to wait for jobs.
 */
@Injectable()
export class TurnQueues implements OnApplicationShutdown {
  private readonly queues = new Map<string, Queue<TurnJob>>();

  private readonly shared = new Map<string, RedisClient>();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX'>,
    private readonly clients: RedisClients,
  ) {}

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
    const queue = new Bull<TurnJob>(name, {
      prefix: queuePrefix(this.environment.REDIS_PREFIX, name),
      // Its types do not know that a cluster's client is one too; its documentation does.
      createClient: (type) => this.client(type),
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      settings: {
        lockDuration: LOCK_MS,
        stalledInterval: 5_000,
        maxStalledCount: 10,
        retryProcessDelay: RETRY_MS,
      },
    });
    // Bull names the connection of a worker and never hears whether that went well (its lib/worker.js): one that stops as
    // it starts has no connection any more, and Node ends a process for a rejection without a handler.
    const nameWorker = queue.setWorkerName.bind(queue);
    queue.setWorkerName = () => nameWorker().catch(() => undefined);
    return queue;
  }

  /** Bull needs connections that never give up; only the relay adds, within a time limit. */
  private client(type: 'client' | 'subscriber' | 'bclient'): RedisClient {
    if (type === 'bclient') return this.clients.open('bull');
    const client = this.shared.get(type) ?? this.clients.open('bull');
    client.setMaxListeners(0); // every queue listens to it
    this.shared.set(type, client);
    return client;
  }
}
