import { Test, type TestingModule } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigModule, ENVIRONMENT } from '../../src/platform/config/index.js';
import { nextTurn, QueuesModule, type TurnJob, TurnQueues } from '../../src/platform/queues/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';

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
