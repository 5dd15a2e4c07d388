import { Test, type TestingModule } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigModule, ENVIRONMENT } from '../../src/platform/config/index.js';
import { LaneQueues, QueuesModule } from '../../src/platform/queues/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';

const LANE = { campaignId: 7, lane: 2, fence: 5 };

/** The relay asks again for lanes that had no turn: what Redis still has is not doubled, what it lost is made again. */
describe('the queue of a channel', () => {
  let module: TestingModule;
  let queues: LaneQueues;

  beforeAll(async () => {
    module = await Test.createTestingModule({ imports: [ConfigModule, QueuesModule] })
      .overrideProvider(ENVIRONMENT)
      .useValue(testEnvironment(requireVariable('DATABASE_URL')))
      .compile();
    queues = module.get(LaneQueues);
    await vi.waitFor(() => expect(queues.get('sms').client.status).toBe('ready'), { timeout: 30_000 });
    // At the start of a quarter of an hour, so that the next lines are within it.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 900_000) * 900_000 });
  });
  afterEach(async () => queues.get('sms').empty());
  afterAll(async () => {
    vi.useRealTimers();
    await module.close();
  });

  it('has a turn once, however often it is asked for', async () => {
    await queues.add('sms', [LANE]);
    await queues.add('sms', [LANE]);
    await queues.add('sms', [{ ...LANE, fence: 6 }]);
    expect((await queues.get('sms').getWaiting()).map((job) => job.data.fence).sort()).toEqual([5, 6]);
  });

  it('has a turn again whose list was lost while its key was kept', async () => {
    const queue = queues.get('sms');
    await queues.add('sms', [LANE]);
    await queue.client.del(queue.toKey('wait'));
    await queues.add('sms', [LANE]);
    expect(await queue.getWaitingCount()).toBe(0);

    vi.setSystemTime(Date.now() + 900_000);
    await queues.add('sms', [LANE]);
    expect((await queue.getWaiting()).map((job) => job.data)).toEqual([LANE]);
  });
});
