import { until } from '../../stage/client.mjs';

const QUEUES = 5;
const LEAST = 2;

export const name = 'queues-spread';
export const shown = 'the queues of the default prefix on a Redis Cluster of three masters';
export const goal = '≥ 2 masters';
export const needs = ['redis-cluster'];
export const environment = { REDIS_PREFIX: 'switchboard' };

/** The queues that a master has keys of. */
function queuesOf(server) {
  const keys = server.cli('--scan', '--pattern', '{switchboard:*}:*').split('\n');
  return new Set(keys.flatMap((key) => /^\{switchboard:(\w+)\}:\1:/.exec(key)?.[1] ?? []));
}

export async function run(stage) {
  await stage.start('worker');
  const ask = () => stage.redis.masters.map(queuesOf);
  const { answer } = await until(ask, (found) => found.reduce((sum, { size }) => sum + size, 0) === QUEUES);
  const spread = answer.filter(({ size }) => size > 0);
  return {
    figure: `${spread.length} masters`,
    ok: spread.length >= LEAST,
    text: answer.map((queues) => [...queues].join(', ') || 'none').join(' | '),
  };
}
