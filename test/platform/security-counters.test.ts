import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { RateCounters } from '../../src/platform/security/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';

const links: RedisLink[] = [];
async function counters(overrides: Parameters<typeof testEnvironment>[1]): Promise<RateCounters> {
  const environment = testEnvironment(requireVariable('DATABASE_URL'), overrides);
  const link = new RedisLink(environment, new RedisClients(environment));
  links.push(link);
  await link.onModuleInit();
  return new RateCounters(link);
}
afterAll(() => links.forEach((link) => link.onApplicationShutdown()));

describe.each([
  ['Redis', {}],
  ['memory, Redis being away', { REDIS_URL: 'redis://127.0.0.1:1' }],
])('RateCounters on %s', (_name, where) => {
  let subject: RateCounters;
  beforeAll(async () => {
    subject = await counters(where);
  });

  it('allows the limit and says when it is free again', async () => {
    for (let i = 0; i < 3; i++) expect((await subject.hit('a', 3, 60)).allowed).toBe(true);
    const refused = await subject.hit('a', 3, 60);
    expect(refused.allowed).toBe(false);
    expect(refused.retryAfterSeconds).toBeGreaterThan(0);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(60);
    expect((await subject.hit('b', 3, 60)).allowed).toBe(true);
  });

  it('only looks when asked whether a key is blocked', async () => {
    await subject.hit('c', 2, 60);
    for (let i = 0; i < 5; i++) expect(await subject.blocked('c', 2)).toBe(0);
    await subject.hit('c', 2, 60);
    expect(await subject.blocked('c', 2)).toBeGreaterThan(0);
    expect(await subject.blocked('never counted', 2)).toBe(0);
  });

  it('counts nothing with limit 0', async () => {
    for (let i = 0; i < 5; i++) expect((await subject.hit('d', 0, 60)).allowed).toBe(true);
    expect(await subject.blocked('d', 0)).toBe(0);
    expect((await subject.hit('d', 1, 60)).allowed).toBe(true);
  });

  it('allows again when the window is over; refused ones did not count', async () => {
    expect((await subject.hit('e', 1, 2)).allowed).toBe(true);
    for (let i = 0; i < 5; i++) expect((await subject.hit('e', 1, 2)).allowed).toBe(false);
    await expect.poll(async () => (await subject.hit('e', 1, 2)).allowed, { timeout: 20_000 }).toBe(true);
  });

  it('slides: no span of the window’s length holds more than the limit, wherever it begins', async () => {
    const passed: { before: number; after: number }[] = [];
    const until = performance.now() + 2_500;
    while (performance.now() < until || passed.length < 8) {
      const before = performance.now();
      if ((await subject.hit('g', 4, 1)).allowed) passed.push({ before, after: performance.now() });
      await sleep(passed.length % 4 === 3 ? 130 : 5);
    }
    // A hit counts at some moment between before and after, so that a slow machine only widens the distance.
    const slack = 40;
    passed.slice(4).forEach(({ after }, index) => expect(after - passed[index]!.before).toBeGreaterThan(1_000 - slack));
  });

  it('says how long the next one has to wait', async () => {
    for (let i = 0; i < 2; i++) await subject.hit('h', 2, 30);
    await sleep(1_100);
    const { retryAfterSeconds } = await subject.hit('h', 2, 30);
    expect(retryAfterSeconds).toBeGreaterThan(20);
    expect(retryAfterSeconds).toBeLessThanOrEqual(29);
    expect(await subject.blocked('h', 2)).toBeLessThanOrEqual(29);
  });

  it('keeps no more moments than the limit, and follows a limit that has changed', async () => {
    for (let i = 0; i < 3; i++) expect((await subject.hit('i', 3, 60)).allowed).toBe(true);
    expect((await subject.hit('i', 4, 60)).allowed).toBe(true);
    expect((await subject.hit('i', 4, 60)).allowed).toBe(false);
    expect(await subject.blocked('i', 2)).toBeGreaterThan(0);
  });
});

describe('RateCounters over instances', () => {
  it('share their counts, also in parallel', async () => {
    const prefix = { REDIS_PREFIX: testEnvironment(requireVariable('DATABASE_URL')).REDIS_PREFIX };
    const [a, b] = [await counters(prefix), await counters(prefix)];
    const hits = await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? a : b).hit('k', 25, 60)));
    expect(hits.filter((hit) => hit.allowed)).toHaveLength(25);
  });
});

describe('RateCounters on a Redis that falls silent', () => {
  it('go on in memory: no call fails, and later ones do not wait', async () => {
    const target = new URL(requireVariable('REDIS_URL'));
    const sockets: Socket[] = [];
    const proxy = createServer((near) => {
      const far = connect(Number(target.port || 6379), target.hostname);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      sockets.push(near, far);
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const port = String((proxy.address() as AddressInfo).port);
    const through = new URL(target);
    through.port = port;
    const subject = await counters({ REDIS_URL: through.href });
    expect(await subject.hit('k', 2, 60)).toMatchObject({ allowed: true });
    for (const socket of sockets) socket.unpipe().pause();
    const answers = [];
    for (let i = 0; i < 20; i++) answers.push((await subject.hit('k', 2, 60)).allowed);
    expect(answers.slice(0, 3)).toEqual([true, true, false]);
    expect(await subject.blocked('k', 2)).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
});
