import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../src/platform/observability/index.js';
import { UrgentBound } from '../../src/modules/engine/dispatch/urgent-bound.js';
import { Relay } from '../../src/modules/engine/dispatch/relay.js';
import type { DueLanes } from '../../src/modules/engine/dispatch/due-lanes.js';
import type { JobOffers, WorkerQueues } from '../../src/modules/engine/dispatch/job-routing.js';
import type { Environment } from '../../src/platform/config/index.js';
import type { LeaderGate } from '../../src/platform/periodic/index.js';
import { type DueRoute, RelayNotifier, type RouteJob } from '../../src/platform/queues/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { requireVariable } from '../support/database.js';

const PATIENCE = { timeout: 20_000 };

describe('rings', () => {
  const environment = {
    REDIS_URL: requireVariable('REDIS_URL'),
    REDIS_PREFIX: `rings-${randomBytes(4).toString('hex')}`,
  } as Environment;
  const open: { onApplicationShutdown(): void }[] = [];
  let redis: Redis;

  beforeAll(() => {
    redis = new Redis(environment.REDIS_URL);
  });
  afterEach(() => open.splice(0).forEach((one) => one.onApplicationShutdown()));
  afterAll(() => redis.quit());

  const notifier = (): RelayNotifier => {
    const clients = new RedisClients(environment);
    const link = new RedisLink(environment, clients);
    void link.onModuleInit();
    const one = new RelayNotifier(environment, clients, link);
    open.push(one, clients);
    return one;
  };
  /** A process that takes rings of these channels, and those that it has taken. */
  const listener = (...channels: string[]): DueRoute[] => {
    const taken: DueRoute[] = [];
    notifier().listen(channels, (due) => {
      taken.push(...due);
      return Promise.resolve();
    });
    return taken;
  };
  const waiting = (): Promise<string[]> => redis.keys(`*${environment.REDIS_PREFIX}*`);

  it('reach one of all that listen to their channel, each of them once', async () => {
    const [first, second, voice] = [listener('sms', 'chat'), listener('sms', 'chat'), listener('voice')];
    const ringer = notifier();
    const sms = (routeId: number): DueRoute => ({ channel: 'sms', routeId, single: true });
    for (let routeId = 1; routeId <= 20; routeId++) {
      const known = first.length + second.length;
      await vi.waitFor(() => {
        ringer.notify([sms(routeId), sms(routeId)]); // repeated, because a notifier that is not connected yet says nothing
        expect(first.length + second.length).toBeGreaterThan(known);
      }, PATIENCE);
    }
    ringer.notify([{ channel: 'voice', routeId: 7 }]);
    await vi.waitFor(() => expect(voice).toEqual([{ channel: 'voice', routeId: 7 }]), PATIENCE);
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), PATIENCE);
    const routes = new Set([...first, ...second].map(({ routeId }) => routeId));
    expect(routes).toEqual(new Set(Array.from({ length: 20 }, (_, index) => index + 1)));
    expect([...first, ...second].every(({ channel, single }) => channel === 'sms' && single === true)).toBe(true);
  });

  it('wait for a listener, and come again when Redis has been emptied', async () => {
    const ringer = notifier();
    await vi.waitFor(async () => {
      ringer.notify([{ channel: 'sms', routeId: 3, single: false }]);
      expect(await waiting()).toHaveLength(1);
    }, PATIENCE);
    const taken = listener('sms');
    const ring = (routeId: number): DueRoute => ({ channel: 'sms', routeId, single: false });
    await vi.waitFor(() => expect(taken).toContainEqual(ring(3)), PATIENCE);
    for (const key of await waiting()) await redis.del(key);
    await vi.waitFor(() => {
      ringer.notify([ring(4)]);
      expect(taken).toContainEqual(ring(4));
    }, PATIENCE);
  });
});

describe('the relay', () => {
  const AWAY = { answer: () => Promise.resolve(null) } as unknown as RedisLink;
  const DUE = [
    { channel: 'sms', routeId: 1, single: true },
    { channel: 'sms', routeId: 2, single: false },
    { channel: 'voice', routeId: 3, single: false },
  ];

  /** A relay of which only these parts are real; what it has queued, and how often it has looked. */
  const relayWith = (parts: { isReady?: () => boolean; isMine?: () => boolean }) => {
    const { isReady = () => true, isMine = () => true } = parts;
    const queued: [string, RouteJob][] = [];
    const asked = { looks: 0, gate: 0 };
    let ring: (due: DueRoute[]) => Promise<void> = () => Promise.resolve();
    const relay = new Relay(
      {
        isReady,
        add: (queue: string, jobs: RouteJob[]) => {
          queued.push(...jobs.map((job): [string, RouteJob] => [queue, job]));
          return Promise.resolve();
        },
      } as unknown as JobOffers,
      {
        routes: () => {
          asked.looks += 1;
          return Promise.resolve(DUE);
        },
      } as unknown as DueLanes,
      {
        listen: (_: string[], onDue: typeof ring) => {
          ring = onDue;
        },
      } as unknown as RelayNotifier,
      { names: ['sms', 'voice'] } as unknown as WorkerQueues,
      {
        isMine: () => {
          asked.gate += 1;
          return Promise.resolve(isMine());
        },
      } as unknown as LeaderGate,
      new UrgentBound({ URGENT_COMMIT_TARGET: 10 }, AWAY, new Metrics()),
    );
    relay.onApplicationBootstrap();
    return { relay, queued, asked, ring: (due: DueRoute[]) => ring(due) };
  };
  const first = (routeId: number, single: boolean): RouteJob => ({ routeId, single, slot: 0, turn: 0 });

  it('puts a job of every route into its queue over which something is due', async () => {
    const { relay, queued, asked } = relayWith({});
    await vi.waitFor(() => expect(asked.looks).toBeGreaterThan(0), PATIENCE);
    await relay.stop();
    expect(queued.slice(0, 3)).toEqual([
      ['sms', first(1, true)],
      ['sms', first(2, false)],
      ['voice', first(3, false)],
    ]);
  });

  it('leaves the look to another process, and asks nothing while Redis is away', async () => {
    const others = relayWith({ isMine: () => false });
    await vi.waitFor(() => expect(others.asked.gate).toBeGreaterThan(1), PATIENCE);
    await others.relay.stop();
    let readies = 0;
    const away = relayWith({
      isReady: () => {
        readies += 1;
        return false;
      },
    });
    await vi.waitFor(() => expect(readies).toBeGreaterThan(1), PATIENCE);
    await away.relay.stop();
    expect([others.asked.looks, others.queued, away.asked, away.queued]).toEqual([0, [], { looks: 0, gate: 0 }, []]);
  });

  it('takes rings at once, both classes where a ring names none, and none once it stops', async () => {
    const { relay, queued, ring } = relayWith({ isMine: () => false });
    await ring([{ channel: 'sms', routeId: 5 }]);
    await ring([{ channel: 'voice', routeId: 6, single: true }]);
    expect(queued).toEqual([
      ['sms', first(5, true)],
      ['sms', first(5, false)],
      ['voice', first(6, true)],
    ]);
    await relay.stop();
    await ring([{ channel: 'sms', routeId: 5 }]);
    expect(queued).toHaveLength(3);
  });
});
