import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/lib/environment.mjs';
import { broadcast, contacts } from '../../stage/client.mjs';
import { quantile, size } from '../../stage/figures.mjs';
import { cutOldDay, fillOldDay, tablesWithDay } from '../../stage/old-day.mjs';

const RECIPIENTS = size('CLUSTER_DAY', 1_000_000);
const OF_A_CAMPAIGN = 100_000;
const LIMIT_MS = 200;
/** one comes whether those before have been answered or not: all that come while something stands still wait for it */
const EVERY_MS = 20;
const REST_MS = 8_000;
const DAYS_AGO = 10;

export const name = 'day-dropped';
export const shown =
  'a day of 1,000,000 recipients and their carriers’ ids dropped while 50 messages a second are accepted';
export const goal = 'accepts delayed ≤ 200 ms at p99, and the longest no more';
export const needs = ['single'];
export const environment = { RETENTION_DAYS: '5' };

/** Has a message accepted every so often until it is told to stop. @returns how long after its moment each was */
async function accepts(client, isOver) {
  const times = [];
  const under = [];
  const [number] = contacts(1);
  const began = performance.now();
  for (let count = 0; !isOver(); count++) {
    const due = began + count * EVERY_MS;
    await sleep(Math.max(0, due - performance.now()));
    const accepted = client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast([number], 'bench'));
    under.push(accepted.then(() => times.push(performance.now() - due)));
  }
  await Promise.all(under);
  return times;
}

/** The times of accepts while something goes on. */
async function during(client, work) {
  let isOver = false;
  const times = accepts(client, () => isOver);
  const began = performance.now();
  await work().finally(() => (isOver = true));
  const ms = performance.now() - began;
  const all = await times;
  return { p99: quantile(all, 0.99), longest: Math.max(...all), count: all.length, ms };
}

export async function run(stage) {
  const api = await stage.start('api', { BROADCAST_RATE_LIMIT: '0', USER_RATE_LIMIT: '0' });
  const { admin, client } = await stage.signInAt(api);
  await stage.deadRoute(admin, 'bench', 'sms');
  await cutOldDay(stage.pool, DAYS_AGO);
  const campaigns = RECIPIENTS / OF_A_CAMPAIGN;
  await fillOldDay(stage.pool, DAYS_AGO, { username: 'bench', campaigns, recipients: OF_A_CAMPAIGN });
  const rest = await during(client, () => sleep(REST_MS));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...stage.environment };
  const program = join(ROOT, 'dist/src/apps/cli/main.js');
  const keep = () => promisify(execFile)(process.execPath, [program, 'keep-tables'], { cwd: ROOT, env });
  const drop = await during(client, keep);
  const left = await tablesWithDay(stage.pool, DAYS_AGO);
  const delay = Math.max(0, drop.p99 - rest.p99);
  const longest = Math.max(0, drop.longest - rest.longest);
  const words = ({ p99, longest: most, count }) => `p99 ${p99.toFixed(0)} ms, longest ${most.toFixed(0)} ms (${count})`;
  return {
    figure: `${delay.toFixed(0)} ms, the longest ${longest.toFixed(0)} ms`,
    ok: left.length === 0 && delay <= LIMIT_MS && longest <= LIMIT_MS,
    text: `at rest ${words(rest)}, meanwhile ${words(drop)}; the day left within ${drop.ms.toFixed(0)} ms${left.length > 0 ? `; it is still in ${left.join(', ')}` : ''}`,
  };
}
