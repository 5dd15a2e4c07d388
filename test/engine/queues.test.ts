import { once } from 'node:events';
import type { INestApplicationContext } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Job } from 'bull';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigModule, ENVIRONMENT } from '../../src/platform/config/index.js';
import { nextJob, QueuesModule, type RouteJob, JobQueues } from '../../src/platform/queues/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';
import { startWorker } from '../support/worker.js';
import { CHANNEL_NAMES, ownPrefix, QUEUES, redisProcess } from '../support/redis-process.js';

const JOB: RouteJob = { routeId: 7, single: false, slot: 0, turn: 0 };

/** The relay asks again for jobs that were not taken: what Redis still has is not doubled, what it lost is made again. */
describe('the queue of a channel', () => {
  let module: TestingModule;
  let queues: JobQueues;

  beforeAll(async () => {
    module = await Test.createTestingModule({ imports: [ConfigModule, QueuesModule.of(CHANNEL_NAMES)] })
      .overrideProvider(ENVIRONMENT)
      .useValue(testEnvironment(requireVariable('DATABASE_URL')))
      .compile();
    queues = module.get(JobQueues);
    await vi.waitFor(() => expect(queues.get('sms').client.status).toBe('ready'), { timeout: 60_000 });
    // At the start of half a minute, so that the next lines are within it.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 30_000) * 30_000 });
  });
  afterEach(async () => queues.get('sms').empty());
  afterAll(async () => {
    vi.useRealTimers();
    await module.close();
  });

  it('has a job once, however often it is asked for', async () => {
    await queues.add('sms', [JOB]);
    await queues.add('sms', [JOB]);
    await queues.add('sms', [nextJob(JOB)]);
    expect((await queues.get('sms').getWaiting()).map((job) => job.data.turn).sort()).toEqual([0, 1]);
  });

  it('has a job again whose list was lost while its key was kept', async () => {
    const queue = queues.get('sms');
    await queues.add('sms', [JOB]);
    await queue.client.del(queue.toKey('wait'));
    await queues.add('sms', [JOB]);
    expect(await queue.getWaitingCount()).toBe(0);

    vi.setSystemTime(Date.now() + 30_000);
    await queues.add('sms', [JOB]);
    expect((await queue.getWaiting()).map((job) => job.data)).toEqual([JOB]);
  });
});

describe('a worker that stops as soon as it has started', () => {
  it('leaves no rejection behind that nobody hears', async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    const others = process.rawListeners('unhandledRejection') as NodeJS.UnhandledRejectionListener[];
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', hear);
    try {
      const redis = await redisProcess({ REDIS_URL: requireVariable('REDIS_URL'), ...ownPrefix() });
      const work = QUEUES.map((name) => redis.queues.get(name).process(() => Promise.resolve('idle')));
      await redis.stop();
      await Promise.allSettled(work);
      // Node tells of a rejection that nobody hears at the end of a turn of the loop.
      await new Promise(setImmediate);
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
      for (const listener of others) process.on('unhandledRejection', listener);
    }
  });
});

/** Bull asks for jobs once for each that it may take side by side: the keys of `processing`. */
const served = (queues: JobQueues): [string, number][] =>
  QUEUES.flatMap((name): [string, number][] => {
    const { handlers, processing } = queues.get(name) as unknown as { handlers: object; processing: object };
    return Object.keys(handlers).length > 0 ? [[name, Object.keys(processing).length]] : [];
  });

describe('the processors of a worker', () => {
  let worker: INestApplicationContext | undefined;
  afterEach(async () => worker?.close());

  it('serve the queues that it was told to serve, each with its places, and no others', async () => {
    const environment = testEnvironment(requireVariable('DATABASE_URL'), {
      WORKER_QUEUES: ['voice', 'sms'],
      WORKER_CONCURRENCY: 3,
    });
    worker = await startWorker(environment);
    const queues = worker.get(JobQueues, { strict: false });
    await expect
      .poll(() => served(queues), { timeout: 60_000 })
      .toEqual([
        ['sms', 3],
        ['sms-urgent', 3],
        ['voice', 3],
        ['voice-urgent', 3],
      ]);
  });

  it.each([
    [['urgent'], ['sms-urgent', 'voice-urgent']],
    [['campaign'], ['sms', 'voice']],
  ] as const)('serve the queues of the class %s only', async (classes, names) => {
    const environment = testEnvironment(requireVariable('DATABASE_URL'), {
      WORKER_QUEUES: ['voice', 'sms'],
      WORKER_CLASSES: [...classes],
    });
    worker = await startWorker(environment);
    const queues = worker.get(JobQueues, { strict: false });
    await expect.poll(() => served(queues).map(([name]) => name), { timeout: 60_000 }).toEqual(names);
  });
});

describe('a queue that a processor serves', () => {
  it('hands out no job before its start, and none after its stop', async () => {
    const redis = await redisProcess({ REDIS_URL: requireVariable('REDIS_URL'), ...ownPrefix() });
    try {
      const queue = redis.queues.get('sms');
      const taken: number[] = [];
      void queue.process(2, ({ data }: Job<RouteJob>) => {
        taken.push(data.routeId);
        return Promise.resolve('idle');
      });
      await vi.waitFor(() => expect(redis.queues.isReady('sms')).toBe(true), { timeout: 60_000 });
      await redis.queues.add('sms', [JOB]);
      expect([await queue.isPaused(true), await queue.getWaitingCount(), taken]).toEqual([true, 1, []]);
      await redis.queues.start('sms');
      await expect.poll(() => taken, { timeout: 60_000 }).toEqual([7]);
      const paused = once(queue, 'paused'); // until then it may take the job for which it already waits
      redis.queues.stop('sms');
      await paused;
      await redis.queues.add('sms', [{ ...JOB, routeId: 8 }]);
      expect([await queue.getWaitingCount(), taken]).toEqual([1, [7]]);
    } finally {
      await redis.stop();
    }
  });
});
