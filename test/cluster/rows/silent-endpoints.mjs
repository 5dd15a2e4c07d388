import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { addAccounts } from '../../stage/accounts.mjs';
import { until } from '../../stage/client.mjs';
import { quantile } from '../../stage/figures.mjs';
import { openSlowLog } from '../../stage/slow-log.mjs';
import { eventBody, eventId, writeEvents } from '../../stage/webhook-events.mjs';

const ENDPOINTS = 1_000;
const SILENT = 10;
const SLOTS = 10;
const WORKERS = 10;
/** that wait for each silent endpoint from the beginning */
const BACKLOG = 500;
/** an event each for so many of the others, so often */
const STEADY = { endpoints: 10, everyMs: 100, batches: 200 };
const LOOK_MS = 1;
const LOST_SHARE = 0.1;
const P95_MS = 1_000;
const TYPE = 'gsm.status.update';

export const name = 'silent-endpoints';
export const shown = '1,000 webhook endpoints, 10 of them silent, 10 workers, 100 events a second for the others';
export const goal = 'look ≤ 1 ms, lost claims ≤ 10 %, healthy p95 ≤ 1 s';
export const needs = ['single'];
export const environment = { OUTBOUND_ALLOW: '127.0.0.0/8', WEBHOOKS_PER_ACCOUNT: String(SLOTS) };

/** Endpoints like the one that its owner has made. @returns those that never answer, and the others */
async function storeEndpoints(pool, port) {
  const [[one]] = await pool.query('SELECT * FROM webhook_endpoints');
  const accounts = await addAccounts(pool, ENDPOINTS / SLOTS);
  const all = Array.from({ length: ENDPOINTS }, (_, index) => ({
    ...one,
    id: 1_000 + index,
    account_id: accounts[Math.floor(index / SLOTS)],
    slot: 1 + (index % SLOTS),
    url: `http://127.0.0.1:${port}/${index < SILENT ? 'hang' : 'hook'}`,
  }));
  await pool.query('INSERT INTO webhook_endpoints (??) VALUES ?', [Object.keys(one), all.map(Object.values)]);
  const hooks = all.map(({ id, account_id: account }) => ({ endpoint: id, account }));
  return { silent: hooks.slice(0, SILENT), healthy: hooks.slice(SILENT) };
}

/** An event for each of these, in one transaction, and the call that a process makes after it. */
async function happen(pool, redis, key, hooks) {
  const events = hooks.map(({ account }, number) => [eventId(), account, TYPE, eventBody(number), new Date()]);
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    await connection.query('INSERT INTO webhook_events (id, account_id, type, body, created_at) VALUES ?', [events]);
    const now = new Date();
    await connection.query(
      'INSERT INTO webhook_deliveries (endpoint_id, event_id, due_at, tries, attempts, revision) VALUES ?',
      [hooks.map(({ endpoint }, index) => [endpoint, events[index][0], now, 0, 0, 0])],
    );
    await connection.query(
      `UPDATE webhook_endpoints SET next_due_at = UTC_TIMESTAMP(3) WHERE id IN (?)
         AND (next_due_at IS NULL OR next_due_at > UTC_TIMESTAMP(3) AND (lease_until IS NULL OR lease_until <= UTC_TIMESTAMP(3)))`,
      [hooks.map(({ endpoint }) => endpoint)],
    );
    await connection.commit();
  } finally {
    connection.release();
  }
  await redis.multi().lpush(key, '').ltrim(key, 0, 0).pexpire(key, 60_000).exec();
}

export async function run(stage) {
  const { pool } = stage;
  const receiver = await stage.script('test/stage/receiver.mjs');
  const { port } = await receiver.next();
  const api = await stage.start('api');
  const { client } = await stage.signInAt(api);
  await client.call('POST', '/v6/api/webhooks', { url: `http://127.0.0.1:${port}/hook`, events: [TYPE] });
  const { silent, healthy } = await storeEndpoints(pool, port);
  const log = await openSlowLog(pool);
  stage.onEnd(() => log.close());
  const redis = new Redis(stage.redis.url);
  stage.onEnd(() => redis.disconnect());
  const key = `${stage.environment.REDIS_PREFIX}:wake:webhooks`;
  for (let count = 0; count < WORKERS; count++) await stage.start('worker');
  for (const hook of silent) await writeEvents(pool, hook, BACKLOG);
  await sleep(1_000); // their places are taken by then
  for (let batch = 0; batch < STEADY.batches; batch++) {
    const first = (batch * STEADY.endpoints) % healthy.length;
    const hooks = healthy.slice(first, first + STEADY.endpoints);
    await Promise.all([happen(pool, redis, key, hooks), sleep(STEADY.everyMs)]);
  }
  const left = async () => {
    const [[{ waiting }]] = await pool.query(
      'SELECT COUNT(*) AS waiting FROM webhook_deliveries WHERE endpoint_id NOT IN (?)',
      [silent.map(({ endpoint }) => endpoint)],
    );
    return Number(waiting);
  };
  await until(left, (waiting) => waiting === 0);
  const answer = receiver.next();
  receiver.child.kill('SIGUSR2');
  const { delays } = await answer;
  const looks = log.statements(
    /FROM webhook_endpoints WHERE status = 'active' AND next_due_at[^]*ORDER BY next_due_at/,
  );
  const claims = log.statements(/^UPDATE webhook_endpoints SET [^]*fence = fence \+ 1/);
  const lost = claims.filter(({ affected }) => affected === 0).length / claims.length;
  const times = looks.map(({ ms }) => ms);
  const examined = looks.map((look) => look.examined);
  const p95 = quantile(delays, 0.95);
  return {
    figure: `look ${quantile(times, 0.5).toFixed(2)} ms (median; p95 ${quantile(times, 0.95).toFixed(2)}), ${(100 * lost).toFixed(1)} % lost claims, p95 ${p95} ms`,
    ok: times.length > 0 && claims.length > 0 && quantile(times, 0.5) <= LOOK_MS && lost <= LOST_SHARE && p95 <= P95_MS,
    text: `${looks.length} looks (at most ${quantile(examined, 1)} rows), ${claims.length} claims, ${delays.length} deliveries (p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms)`,
  };
}
