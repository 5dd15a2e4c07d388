import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DueRoute, firstJob, type RouteJob } from '../../src/platform/queues/index.js';
import {
  type RedisCluster,
  type RedisSentinel,
  startRedisCluster,
  startRedisNode,
  startRedisSentinel,
} from '../stage/redis-cluster.mjs';
import { ownPrefix, type RedisProcess, redisProcess } from '../support/redis-process.js';

/** A master that is silent for 2 s is replaced; this machine may be slow. */
const PATIENCE = { timeout: 60_000, interval: 20 };

/** Two processes that use all they have Redis for, and what they have heard. */
async function traffic(url: string) {
  const settings = { REDIS_URL: url, ...ownPrefix() };
  const [giver, taker] = await Promise.all([redisProcess(settings), redisProcess(settings)]);
  const heard = { jobs: new Set<number>(), rings: new Set<number>(), calls: 0 };
  for (const { queues } of [giver, taker]) {
    void queues.get('sms').process(4, ({ data }: { data: RouteJob }) => {
      heard.jobs.add(data.routeId);
      return Promise.resolve();
    });
    await queues.start('sms');
  }
  taker.notifier.listen(['sms'], (due: DueRoute[]) => {
    for (const { routeId } of due) heard.rings.add(routeId);
    return Promise.resolve();
  });
  taker.calls.listen('work', () => {
    heard.calls += 1;
    return Promise.resolve();
  });
  let last = 0;
  const add = (): Promise<void> => {
    last += 1;
    return giver.queues.add('sms', [firstJob({ routeId: last, single: false })]).catch(() => undefined);
  };
  return {
    prefix: settings.REDIS_PREFIX,
    giver,
    /** A job that may not be taken: Redis may be anything. */
    add: () => add(),
    /** Waits until each of them works: something that is given from now on arrives. */
    goesOn: async () => {
      const first = last + 1;
      const calls = heard.calls;
      const isNew = (ids: Set<number>): boolean => [...ids].some((id) => id >= first);
      await vi.waitFor(async () => {
        await add();
        giver.notifier.notify([{ channel: 'sms', routeId: last }]);
        giver.calls.wake('work');
        expect([isNew(heard.jobs), isNew(heard.rings), heard.calls > calls, giver.link.ready]).toEqual(
          Array<boolean>(4).fill(true),
        );
      }, PATIENCE);
    },
    /** Waits until limits of this name count in Redis, for both processes. */
    countsTogether: async (name: string) => {
      await vi.waitFor(async () => {
        const key = `${name}-${Math.random()}`;
        await Promise.all([giver.limits.add(key, 1, 60_000), taker.limits.add(key, 1, 60_000)]);
        expect((await giver.limits.add(key, 1, 60_000)).count).toBe(3);
      }, PATIENCE);
    },
    stop: () => Promise.all([giver.stop(), taker.stop()]),
  };
}

/** What a limit says, of which one passes in an hour, as often as it is asked. */
const passed = async ({ limits }: RedisProcess, name: string, times: number): Promise<number> => {
  let count = 0;
  for (let i = 0; i < times; i++) if ((await limits.hit(name, 1, 3600)).allowed) count += 1;
  return count;
};

describe('a cluster', () => {
  let cluster: RedisCluster;
  let all: Awaited<ReturnType<typeof traffic>>;
  const masterOfQueue = () => cluster.masterOf(`{${all.prefix}:sms}:sms:wait`);

  beforeAll(async () => {
    cluster = await startRedisCluster({ masters: 3, replicas: 1, nodeTimeoutMs: 1_500 });
    all = await traffic(cluster.url());
  }, 120_000);
  afterAll(async () => {
    await all.stop();
    await cluster.stop();
  });

  /** Another one than that. */
  const masterBeside = async ({ port }: { port: number }) => {
    for (const node of cluster.nodes) if (node.port !== port && (await node.tell('ROLE'))[0] === 'master') return node;
    throw new Error('there is one master only');
  };

  it('whose masters are killed one after another goes on with replicas, and with those that come back', async () => {
    await all.goesOn();
    const killed = await masterOfQueue();
    await killed.kill();
    expect(await passed(all.giver, 'while-away', 5)).toBeGreaterThan(0); // no limit waits for a master
    await all.goesOn();
    const next = await masterOfQueue();
    expect(next.port).not.toBe(killed.port);
    await killed.start();
    await cluster.followed();
    expect((await killed.tell('ROLE'))[0]).toBe('slave');
    await next.kill();
    await all.goesOn();
    await next.start();
    await cluster.followed();
    await all.countsTogether('healed');
  }, 240_000);

  it('whose master freezes goes on without it, and with it as a replica', async () => {
    await cluster.followed();
    const frozen = await masterOfQueue();
    frozen.freeze();
    try {
      await vi.waitFor(async () => expect((await masterOfQueue()).port).not.toBe(frozen.port), PATIENCE);
      await all.goesOn();
    } finally {
      frozen.thaw();
    }
    await cluster.followed();
    await all.goesOn();
    await all.countsTogether('thawed');
  }, 240_000);

  it('whose master hands over to its replica goes on', async () => {
    await cluster.followed();
    const before = await masterOfQueue();
    const [, , replicas] = (await before.tell('ROLE')) as [string, number, [string, string][]];
    await cluster.node(replicas[0]?.[1])?.tell('CLUSTER', 'FAILOVER');
    await vi.waitFor(async () => expect((await masterOfQueue()).port).not.toBe(before.port), PATIENCE);
    await all.goesOn();
    await all.countsTogether('handed-over');
  }, 240_000);

  it('whose slots move to another master goes on, at last there', async () => {
    await cluster.followed();
    const from = await masterOfQueue();
    const to = await masterBeside(from);
    const slot = Number(await from.tell('CLUSTER', 'KEYSLOT', `{${all.prefix}:sms}`));
    const [fromId, toId] = [String(await from.tell('CLUSTER', 'MYID')), String(await to.tell('CLUSTER', 'MYID'))];
    await to.tell('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.tell('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    // Meanwhile keys stand on both, and Bull's scripts are told to ask there, or to try again.
    await all.add();
    await vi.waitFor(async () => {
      const keys = (await from.ask('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length > 0)
        await from.ask('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'AUTH', to.password, 'KEYS', ...keys);
      expect(keys).toEqual([]);
    }, PATIENCE);
    for (const node of [to, from]) await node.tell('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    await all.goesOn();
    expect((await masterOfQueue()).port).toBe(to.port);
  }, 240_000);
});

describe('a master that sentinels watch', () => {
  let sentinel: RedisSentinel;
  let all: Awaited<ReturnType<typeof traffic>>;

  beforeAll(async () => {
    sentinel = await startRedisSentinel({ replicas: 2, downAfterMs: 1_000 });
    all = await traffic(sentinel.url());
  }, 120_000);
  afterAll(async () => {
    await all.stop();
    await sentinel.stop();
  });

  it('is followed when it is killed, and the next one when it freezes; both are replicas when they are back', async () => {
    await all.goesOn();
    const killed = await sentinel.master();
    await killed.kill();
    expect(await passed(all.giver, 'while-away', 5)).toBeGreaterThan(0);
    await all.goesOn();
    const frozen = await sentinel.master();
    expect(frozen.port).not.toBe(killed.port);
    frozen.freeze();
    try {
      await vi.waitFor(async () => expect((await sentinel.master()).port).not.toBe(frozen.port), PATIENCE);
      await all.goesOn();
    } finally {
      frozen.thaw();
    }
    await killed.start();
    for (const server of [killed, frozen]) {
      await vi.waitFor(async () => expect((await server.ask('ROLE'))[0]).toBe('slave'), PATIENCE);
    }
    await all.goesOn();
    await all.countsTogether('back');
  }, 240_000);
});

describe('a server', () => {
  it('that is killed, comes back and loads its data for a while is used again when it has', async () => {
    const slowly = ['key-load-delay 1000', 'loading-process-events-interval-bytes 1024'];
    const server = await startRedisNode({ settings: slowly });
    const all = await traffic(server.url);
    try {
      await all.goesOn();
      await server.node.tell('EVAL', "for i = 1, 2000 do redis.call('SET', 'filling:' .. i, i) end", 0);
      await server.node.tell('BGREWRITEAOF');
      await vi.waitFor(async () => {
        const info = String(await server.node.ask('INFO', 'persistence'));
        expect(info).toMatch(/aof_rewrite_in_progress:0[^]*aof_rewrite_scheduled:0[^]*aof_last_bgrewrite_status:ok/);
      }, PATIENCE);
      await server.node.kill();
      server.node.launch();
      await vi.waitFor(() => expect(server.node.ask('GET', 'filling:1')).rejects.toThrow('LOADING'), PATIENCE);
      await all.goesOn();
      await all.countsTogether('loaded');
    } finally {
      await all.stop();
      await server.stop();
    }
  }, 120_000);
});
