import { until } from '../../stage/client.mjs';

const EMPTIED_EVERY_MS = 1_000;

/** Asks the server itself, past the ways of the processes. */
async function withRedis({ redis }, work) {
  // loaded late: a list of all faults is shown before anything is installed
  const { Redis } = await import('ioredis');
  const client = new Redis(redis.url, { maxRetriesPerRequest: 1 });
  client.on('error', () => undefined);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

const used = async (client) => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);

export default [
  {
    name: 'redis-killed',
    shown: 'Redis gets SIGKILL, and is started again',
    async strike({ redis }) {
      await redis.kill();
      return async () => void (await redis.start());
    },
  },
  {
    name: 'redis-emptied',
    shown: 'Redis loses everything, again every second',
    holdMs: [3_000, 5_000],
    async strike(scene) {
      const empty = () => withRedis(scene, (client) => client.flushall());
      await empty();
      const timer = setInterval(() => void empty().catch(() => undefined), EMPTIED_EVERY_MS);
      return () => clearInterval(timer);
    },
  },
  {
    name: 'redis-full',
    shown: 'Redis has no room left: every write is refused',
    holdMs: [2_500, 4_000],
    async strike(scene) {
      await withRedis(scene, async (client) =>
        client.config('SET', 'maxmemory', String(Math.floor((await used(client)) / 2))),
      );
      return async () => void (await withRedis(scene, (client) => client.config('SET', 'maxmemory', '0')));
    },
  },
  {
    name: 'redis-slow',
    shown: 'every word to and from Redis takes 300 to 900 ms, and now and then it stands still for seconds',
    holdMs: [4_000, 6_000],
    async strike(scene, seed) {
      const { redis } = scene;
      for (const way of scene.waysTo('redis')) way.delay(seed.between(300, 900));
      redis.freeze();
      const timer = setTimeout(() => redis.thaw(), seed.between(1_000, 2_500));
      return async () => {
        clearTimeout(timer);
        redis.thaw();
        await Promise.all(scene.waysTo('redis').map((way) => way.heal()));
        await until(
          () => withRedis(scene, (client) => client.ping()).catch(() => ''),
          (said) => said === 'PONG',
        );
      };
    },
  },
];
