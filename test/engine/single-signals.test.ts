import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Environment } from '../../src/platform/config/index.js';
import { CreditBook } from '../../src/modules/credits/index.js';
import { SingleSignalStream } from '../../src/platform/queues/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { requireVariable } from '../support/database.js';
import { type Member, openSms, type Sms } from '../support/sms.js';

const PATIENCE = { timeout: 20_000, interval: 20 };
const REDIS_URL = requireVariable('REDIS_URL');
const prefixOf = (): string => `singles-${randomBytes(4).toString('hex')}`;

let redis: Redis;
beforeAll(() => {
  redis = new Redis(REDIS_URL);
});
afterAll(() => redis.quit());

describe('signals of messages of one recipient', () => {
  const own = { REDIS_URL, REDIS_PREFIX: prefixOf() };
  const open: { onApplicationShutdown(): void }[] = [];
  afterEach(() => open.splice(0).forEach((one) => one.onApplicationShutdown()));

  const processOf = async (parts: Partial<Environment> = {}) => {
    const environment = { ...own, ...parts } as Environment;
    const clients = new RedisClients(environment);
    const link = new RedisLink(environment, clients);
    await link.onModuleInit();
    const signals = new SingleSignalStream(clients, link);
    open.push(signals, link, clients);
    return { signals, link };
  };
  const listener = async (parts?: Partial<Environment>): Promise<{ heard: number }> => {
    const state = { heard: 0 };
    (await processOf(parts)).signals.listen(() => (state.heard += 1));
    return state;
  };
  /** Repeated, because one that does not listen yet hears nothing. */
  const tellUntil = async (isHeard: () => boolean): Promise<void> => {
    const { signals } = await processOf();
    await vi.waitFor(() => {
      signals.publish();
      expect(isHeard()).toBe(true);
    }, PATIENCE);
  };

  it('reach every process of their installation, and no other', async () => {
    const [first, second, other] = [await listener(), await listener(), await listener({ REDIS_PREFIX: prefixOf() })];
    await tellUntil(() => first.heard > 0 && second.heard > 0);
    expect(other.heard).toBe(0);
  });

  it('are heard again when their connection was lost', async () => {
    const state = await listener();
    await tellUntil(() => state.heard > 0);
    const lines = String(await redis.client('LIST')).split('\n');
    for (const line of lines.filter((text) => text.includes('cmd=xread'))) {
      await redis.client('KILL', 'ID', /\bid=(\d+)/.exec(line)?.[1] ?? '');
    }
    state.heard = 0;
    await tellUntil(() => state.heard > 0);
  });

  it('are one, however many are told at a time, and leave one entry', async () => {
    const { signals, link } = await processOf();
    const calls = vi.spyOn(link.client, 'multi');
    for (let call = 0; call < 100; call++) signals.publish();
    expect(calls).toHaveBeenCalledTimes(1);
    await tellUntil(() => true);
    const key = `${own.REDIS_PREFIX}:singles`;
    await vi.waitFor(async () => expect(await redis.pttl(key)).toBeGreaterThan(0), PATIENCE);
    expect(await redis.xlen(key)).toBe(1);
  });

  it('are not told while Redis is away, and nobody waits or fails', async () => {
    const { signals } = await processOf({ REDIS_URL: 'redis://127.0.0.1:1' });
    signals.listen(() => undefined);
    expect(() => signals.publish()).not.toThrow();
  });
});

describe('a send', () => {
  const prefix = prefixOf();
  let sms: Sms;
  let member: Member;

  beforeAll(async () => {
    sms = await openSms({ REDIS_PREFIX: prefix });
    member = await sms.join(10);
  });
  afterAll(() => sms.stop());

  const key = `${prefix}:singles`;
  const send = async (contacts: string[], more: Record<string, unknown> = {}, by = member): Promise<number> => {
    const body = { broadcast_name: 'Spring', brodcast_service: 'any', message: 'Hello', contacts, ...more };
    return (await sms.broadcast(by, body)).status;
  };
  const one = ['919812345678'];

  it('tells of one recipient whose message leaves now, and of no other', async () => {
    const tell = vi.spyOn(sms.part(SingleSignalStream), 'publish');
    expect(await send([...one, '919812345679'])).toBe(200);
    expect(await send(one, { schedule_time: '2099-07-01T09:30:00Z' })).toBe(200);
    expect([await redis.xlen(key), tell.mock.calls]).toEqual([0, []]);
    expect(await send(one)).toBe(200);
    await expect.poll(() => redis.xlen(key), PATIENCE).toBe(1);
    tell.mockRestore();
  });

  it('that is refused for its credits tells of nothing, however often it comes', async () => {
    const empty = await sms.join(0);
    await expect.poll(() => sms.part(SingleSignalStream).isDue, PATIENCE).toBe(true);
    const tell = vi.spyOn(sms.part(SingleSignalStream), 'publish');
    const reads = vi.spyOn(sms.part(CreditBook), 'availableIn');
    for (let time = 0; time < 5; time++) expect(await send(one, {}, empty)).toBe(400);
    await Promise.all(reads.mock.results.map(({ value }) => value as Promise<unknown>));
    expect([reads.mock.calls.length > 0, tell.mock.calls]).toEqual([true, []]);
    expect(await send(one)).toBe(200);
    await expect.poll(() => tell.mock.calls.length, PATIENCE).toBe(1);
    for (const spy of [tell, reads]) spy.mockRestore();
  });
});
