import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LazyModuleLoader } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type DueRoute,
  firstJob,
  nextJob,
  QueueDashboard,
  queuesOf,
  type RouteJob,
} from '../../src/platform/queues/index.js';
import { RedisClients } from '../../src/platform/redis/index.js';
import { startRedisCluster, startRedisNode, startRedisSentinel } from '../stage/redis-cluster.mjs';
import { requireVariable } from '../support/database.js';
import {
  CHANNEL_NAMES,
  ownPrefix,
  QUEUES,
  type RedisProcess,
  redisProcess,
  type RedisSettings,
} from '../support/redis-process.js';

const PATIENCE = { timeout: 60_000, interval: 20 };
const CERTIFICATE = new URL('../contract/tls/carrier-cert.pem', import.meta.url).pathname;
const TLS = { cert: CERTIFICATE, key: new URL('../contract/tls/carrier-key.pem', import.meta.url).pathname };
const CA = { REDIS_CA: CERTIFICATE };

interface Servers {
  settings: Omit<RedisSettings, 'REDIS_PREFIX'>;
  stop: () => Promise<void>;
}
const kinds: [string, () => Promise<Servers>][] = [
  ['redis://', () => Promise.resolve({ settings: { REDIS_URL: requireVariable('REDIS_URL') }, stop: async () => {} })],
  [
    'rediss://',
    async () => {
      const server = await startRedisNode({ tls: TLS });
      return { settings: { REDIS_URL: server.url, ...CA }, stop: () => server.stop() };
    },
  ],
  [
    'redis+cluster://',
    async () => {
      const cluster = await startRedisCluster();
      return { settings: { REDIS_URL: cluster.url() }, stop: () => cluster.stop() };
    },
  ],
  [
    'redis+cluster:// with TLS',
    async () => {
      const cluster = await startRedisCluster({ tls: TLS });
      return { settings: { REDIS_URL: cluster.url('tls'), ...CA }, stop: () => cluster.stop() };
    },
  ],
  [
    'redis+sentinel://',
    async () => {
      const sentinel = await startRedisSentinel();
      return { settings: { REDIS_URL: sentinel.url() }, stop: () => sentinel.stop() };
    },
  ],
  [
    'redis+sentinel:// with TLS',
    async () => {
      const sentinel = await startRedisSentinel({ tls: TLS });
      return { settings: { REDIS_URL: sentinel.url('tls'), ...CA }, stop: () => sentinel.stop() };
    },
  ],
];

describe.each(kinds)('over %s', (_kind, start) => {
  let servers: Servers;
  let settings: RedisSettings;
  let one: RedisProcess;
  let two: RedisProcess;

  beforeAll(async () => {
    servers = await start();
    settings = { ...servers.settings, ...ownPrefix() };
    [one, two] = await Promise.all([redisProcess(settings), redisProcess(settings)]);
    await vi.waitFor(() => expect([one.link.ready, two.link.ready]).toEqual([true, true]), PATIENCE);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await servers.stop();
  });

  it('each queue hands its jobs to one of the processes that serve it', async () => {
    const taken: [string, RouteJob][] = [];
    for (const name of QUEUES) {
      for (const { queues } of [one, two]) {
        void queues.get(name).process(2, ({ data }: { data: RouteJob }) => {
          taken.push([name, data]);
          return Promise.resolve();
        });
        await queues.start(name);
      }
    }
    const wanted = QUEUES.flatMap((name) => {
      const first = firstJob({ routeId: 7, single: name.endsWith('-urgent') });
      return [first, nextJob(first)].map((job): [string, RouteJob] => [name, job]);
    });
    await expect.poll(() => QUEUES.every((name) => one.queues.isReady(name)), PATIENCE).toBe(true);
    for (const channel of CHANNEL_NAMES) {
      const jobs = wanted.flatMap(([queue, job]) => (queuesOf(channel).includes(queue) ? [job] : []));
      await one.queues.add(channel, jobs);
    }
    await expect.poll(() => taken.length, PATIENCE).toBe(wanted.length);
    expect(taken).toEqual(expect.arrayContaining(wanted));
  });

  // each process counts for itself while Redis does not answer in time, as on a machine that is busy: so with another name
  it('a limit counts for all processes', async () => {
    let tries = 0;
    await vi.waitFor(async () => {
      const [login, general] = [`login${++tries}`, `general${tries}`];
      const hits = [one, two, one, two, one].map(({ limits }) => limits.hit(login, 3, 60));
      expect((await Promise.all(hits)).filter(({ allowed }) => allowed)).toHaveLength(3);
      expect(await two.limits.blocked(login, 3)).toBeGreaterThan(0);
      await one.limits.add(general, 2, 60_000);
      expect((await two.limits.add(general, 3, 60_000)).count).toBe(5);
    }, PATIENCE);
  });

  it('a duty is one process’s', async () => {
    let tries = 0;
    await vi.waitFor(async () => {
      const task = `keep${++tries}`;
      const asked = await Promise.all([one, two, one].map(({ gate }) => gate.isMine(task, 60_000)));
      expect(asked.filter(Boolean)).toHaveLength(1);
    }, PATIENCE);
  });

  it('rings and wake calls reach a process', async () => {
    const rings: DueRoute[] = [];
    let calls = 0;
    two.notifier.listen(['sms', 'voice'], (due) => {
      rings.push(...due);
      return Promise.resolve();
    });
    two.calls.listen('work', () => {
      calls += 1;
      return Promise.resolve();
    });
    one.notifier.notify([
      { channel: 'sms', routeId: 1, single: true },
      { channel: 'voice', routeId: 2 },
    ]);
    one.calls.wake('work');
    await expect.poll(() => [rings.length, calls], PATIENCE).toEqual([2, 1]);
    expect(rings).toEqual(expect.arrayContaining([{ channel: 'voice', routeId: 2 }]));
  });

  it('the dashboard shows the queues', async () => {
    const clients = new RedisClients(settings);
    const nest = await Test.createTestingModule({}).compile();
    const dashboard = new QueueDashboard(settings, clients, nest.get(LazyModuleLoader));
    const shown = QUEUES.map((name) => ({ name, purpose: name }));
    const app = express().use((request, response, next) => dashboard.serve('/q', shown, request, response, next));
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/q/api/queues`;
    const answer = await fetch(url);
    const { queues } = (await answer.json()) as { queues: { name: string }[] };
    expect(queues.map(({ name }) => name)).toEqual(QUEUES);
    server.close();
    clients.onApplicationShutdown();
  });
});
