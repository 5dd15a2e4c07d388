import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/index.js';
import { DueWatch, LeaderGate, WakeCalls } from '../../src/platform/periodic/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';

const AWAY = { REDIS_URL: 'redis://127.0.0.1:1' };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** What processes of one installation share their duties by. */
async function process(overrides: Parameters<typeof testEnvironment>[1] = {}) {
  const environment = testEnvironment(requireVariable('DATABASE_URL'), overrides);
  const clients = new RedisClients(environment);
  const link = new RedisLink(environment, clients);
  closing.push(() => clients.onApplicationShutdown());
  await link.onModuleInit();
  const calls = new WakeCalls(clients, link);
  closing.push(() => calls.onApplicationShutdown());
  return { environment, link, gate: new LeaderGate(link), calls };
}
const installation = (): { REDIS_PREFIX: string } => ({ REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}` });

describe('the gate of duties', () => {
  it('lets one of several processes through in a period, a duty at a time', async () => {
    const shared = installation();
    const processes = await Promise.all([process(shared), process(shared), process(shared)]);
    const ask = (task: string): Promise<boolean[]> =>
      Promise.all(processes.map(({ gate }) => gate.isMine(task, 3_600_000)));
    expect((await ask('a')).filter(Boolean)).toHaveLength(1);
    expect((await ask('a')).filter(Boolean)).toHaveLength(0);
    expect((await ask('b')).filter(Boolean)).toHaveLength(1);
    const [another] = await Promise.all([process(installation())]);
    expect(await another.gate.isMine('a', 3_600_000)).toBe(true);
  });

  it('opens again when the period is over', async () => {
    const { gate } = await process();
    expect(await gate.isMine('a', 50)).toBe(true);
    await expect.poll(() => gate.isMine('a', 50)).toBe(true);
  });

  it('stands open without Redis', async () => {
    const { gate } = await process(AWAY);
    expect([await gate.isMine('a', 60_000), await gate.isMine('a', 60_000)]).toEqual([true, true]);
  });
});

describe('a wake call', () => {
  const listening = ({ calls }: Awaited<ReturnType<typeof process>>, name: string) => {
    const heard = { times: 0, end: (): void => undefined, holds: false };
    calls.listen(name, () => {
      heard.times += 1;
      return heard.holds ? new Promise((resolve) => (heard.end = resolve)) : Promise.resolve();
    });
    return heard;
  };

  it('wakes one listener, and while that is at work another', async () => {
    const shared = installation();
    const caller = await process(shared);
    const [one, two] = [listening(await process(shared), 'sends'), listening(await process(shared), 'sends')];
    one.holds = two.holds = true;
    caller.calls.wake('others');
    caller.calls.wake('sends');
    caller.calls.wake('sends');
    await expect.poll(() => one.times + two.times, { timeout: 10_000 }).toBe(1);
    caller.calls.wake('sends');
    await expect.poll(() => [one.times, two.times], { timeout: 10_000 }).toEqual([1, 1]);
    one.end();
    two.end();
  });

  it('that no process has taken stands for all that came meanwhile', async () => {
    const shared = installation();
    const caller = await process(shared);
    const one = listening(caller, 'sends');
    one.holds = true;
    caller.calls.wake('sends');
    await expect.poll(() => one.times, { timeout: 10_000 }).toBe(1);
    const key = `${caller.link.prefix}:wake:sends`;
    for (let i = 0; i < 3; i++) {
      await caller.link.client.pexpire(key, 10_000);
      caller.calls.wake('sends');
      // Each call is kept for its whole time again, which shows that it has come.
      await expect.poll(() => caller.link.client.pttl(key)).toBeGreaterThan(10_000);
      expect(await caller.link.client.llen(key)).toBe(1);
    }
    one.holds = false;
    one.end();
    await expect.poll(() => one.times).toBe(2);
    await expect.poll(() => caller.link.client.llen(key)).toBe(0);
  });

  it('reaches the listener of its own process without Redis', async () => {
    const alone = await process(AWAY);
    const heard = listening(alone, 'sends');
    alone.calls.wake('sends');
    await expect.poll(() => heard.times).toBe(1);
  });
});

describe('the watch for due work', () => {
  let database: DataSource;
  beforeAll(async () => {
    database = await new DataSource(dataSourceOptions(requireVariable('DATABASE_URL'))).initialize();
  });
  afterAll(() => database.destroy());

  it('runs what is due, leaves what is not, and asks for all with one statement', async () => {
    const { gate } = await process();
    const asked: string[] = [];
    const query = (sql: string): Promise<unknown> => {
      asked.push(sql);
      return database.query(sql);
    };
    const watch = new DueWatch(gate, { query } as unknown as DataSource);
    const done = { due: 0, later: 0 };
    const faults: unknown[] = [];
    const duty = (name: 'due' | 'later', isDue: string) => ({
      name,
      isDue,
      work: () => {
        done[name] += 1;
        return Promise.reject(new Error('fault'));
      },
      onFault: (error: unknown) => faults.push(error),
    });
    const due = watch.register(duty('due', 'EXISTS (SELECT 1)'));
    watch.register(duty('later', 'EXISTS (SELECT 1 FROM (SELECT 1 AS x) t WHERE x > 1)'));
    watch.onApplicationBootstrap();
    closing.push(() => watch.beforeApplicationShutdown());
    await expect.poll(() => done.due, { timeout: 10_000 }).toBeGreaterThan(2);
    await due.stop();
    const { due: last } = done;
    const looks = asked.length;
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBeGreaterThan(looks + 1);
    expect(done).toEqual({ due: last, later: 0 });
    expect(faults).toHaveLength(last);
    expect(new Set(asked).size).toBe(1);
  });
});
