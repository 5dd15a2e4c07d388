import { Test, type TestingModule } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigModule, ENVIRONMENT } from '../../src/platform/config/index.js';
import { nextTurn, QueuesModule, type TurnJob, TurnQueues } from '../../src/platform/queues/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';
import { ownPrefix, redisProcess } from '../support/redis-process.js';

const CHANNELS = ['sms', 'template', 'branded', 'unofficial', 'voice'];
const TURN: TurnJob = { routeId: 7, single: false, slot: 0, turn: 0 };

/** The relay asks again for turns that were not taken: what Redis still has is not doubled, what it lost is made again. */
describe('the queue of a channel', () => {
  let module: TestingModule;
  let queues: TurnQueues;

  beforeAll(async () => {
    module = await Test.createTestingModule({ imports: [ConfigModule, QueuesModule] })
      .overrideProvider(ENVIRONMENT)
      .useValue(testEnvironment(requireVariable('DATABASE_URL')))
      .compile();
    queues = module.get(TurnQueues);
    await vi.waitFor(() => expect(queues.get('sms').client.status).toBe('ready'), { timeout: 60_000 });
    // At the start of half a minute, so that the next lines are within it.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 30_000) * 30_000 });
  });
  afterEach(async () => queues.get('sms').empty());
  afterAll(async () => {
    vi.useRealTimers();
    await module.close();
  });

  it('has a turn once, however often it is asked for', async () => {
    await queues.add('sms', [TURN]);
    await queues.add('sms', [TURN]);
    await queues.add('sms', [nextTurn(TURN)]);
    expect((await queues.get('sms').getWaiting()).map((job) => job.data.turn).sort()).toEqual([0, 1]);
  });

  it('has a turn again whose list was lost while its key was kept', async () => {
    const queue = queues.get('sms');
    await queues.add('sms', [TURN]);
    await queue.client.del(queue.toKey('wait'));
    await queues.add('sms', [TURN]);
    expect(await queue.getWaitingCount()).toBe(0);

    vi.setSystemTime(Date.now() + 30_000);
    await queues.add('sms', [TURN]);
    expect((await queue.getWaiting()).map((job) => job.data)).toEqual([TURN]);
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
      const work = CHANNELS.map((name) => redis.queues.get(name).process(() => Promise.resolve('rest')));
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
