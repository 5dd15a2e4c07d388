import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { size } from '../../../bench/stage.mjs';
import { ROOT } from '../../../scripts/lib/environment.mjs';
import { broadcast, contacts } from '../../stage/client.mjs';

const RECIPIENTS = size('CLUSTER_DAY', 1_000_000);
const ROWS_AT_ONCE = 100_000;
const LIMIT_MS = 200;
const AT_ONCE = 8;
const REST_MS = 8_000;
const DAYS_AGO = 10;
const DAY_MS = 86_400_000;
/** ids carry their time (`src/kernel/ids.ts`) */
const idAt = (ms) => (ms - Date.UTC(2024, 0, 1)) * 4096;
const DELIVERED = 2;

export const name = 'day-dropped';
export const shown = 'a day of 1,000,000 recipients dropped while eight clients have messages accepted all the time';
export const goal = 'accepts delayed ≤ 200 ms at p99';
export const needs = ['single'];
export const environment = { RETENTION_DAYS: '5' };

const nameOf = (day) => `d${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** A campaign of long ago that is over, in a partition of its own. */
async function storeDay(pool) {
  const at = Date.now() - DAYS_AGO * DAY_MS;
  const day = new Date(Math.floor(at / DAY_MS) * DAY_MS);
  const [id, next] = [idAt(at), idAt(day.getTime() + DAY_MS)];
  const [[first]] = await pool.query(
    `SELECT partition_name AS name, partition_description AS bound FROM information_schema.partitions
     WHERE table_schema = DATABASE() AND table_name = 'campaign_recipients' ORDER BY partition_ordinal_position LIMIT 1`,
  );
  await pool.query(
    `ALTER TABLE campaign_recipients REORGANIZE PARTITION ${first.name} INTO
       (PARTITION ${nameOf(day)} VALUES LESS THAN (${next}), PARTITION ${first.name} VALUES LESS THAN (${first.bound}))`,
  );
  await pool.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, total_rows, open_lanes, refunded_credits, created_at, completed_at)
     SELECT ?, id, 'OF_LONG_AGO', 'sms', 'completed', 'bench', 'bench', 1, '{"message":"Hello"}', 'gsm_credits', 1, ?, 0, 0, ?, ?
     FROM accounts WHERE username = 'bench'`,
    [id, RECIPIENTS, new Date(at), new Date(at)],
  );
  for (let from = 0; from < RECIPIENTS; from += ROWS_AT_ONCE) {
    await pool.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT ?, ? + seq, 919800000000 + ? + seq, ?, 1, UTC_TIMESTAMP(3) FROM seq_1_to_${Math.min(ROWS_AT_ONCE, RECIPIENTS - from)}`,
      [id, from, from, DELIVERED],
    );
  }
  return nameOf(day);
}

/** Has messages accepted until it is told to stop. @returns the time of each */
async function accepts(client, isOver) {
  const times = [];
  const one = async (number) => {
    while (!isOver()) {
      const began = performance.now();
      await client.call('POST', '/webhook/api/addbroadcastgsm.php', broadcast([number], 'bench'));
      times.push(performance.now() - began);
    }
  };
  await Promise.all(contacts(AT_ONCE).map(one));
  return times;
}

const percentile = (times, share) => times.sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;

/** The times of accepts while something goes on. */
async function during(client, work) {
  let isOver = false;
  const times = accepts(client, () => isOver);
  const began = performance.now();
  await work().finally(() => (isOver = true));
  return { times: await times, ms: performance.now() - began };
}

export async function run(stage) {
  const api = await stage.start('api', { BROADCAST_RATE_LIMIT: '0', USER_RATE_LIMIT: '0' });
  const { admin, client } = await stage.signInAt(api);
  await stage.deadRoute(admin, 'bench', 'sms');
  const partition = await storeDay(stage.pool);
  const rest = await during(client, () => new Promise((resolve) => setTimeout(resolve, REST_MS)));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...stage.environment };
  const keep = () => promisify(execFile)(process.execPath, [join(ROOT, 'dist/src/apps/cli/main.js'), 'keep-tables'], { cwd: ROOT, env }); // prettier-ignore
  const drop = await during(client, keep);
  const [left] = await stage.pool.query(
    `SELECT 1 FROM information_schema.partitions WHERE table_schema = DATABASE() AND table_name = 'campaign_recipients'
       AND partition_name = ?`,
    [partition],
  );
  const [before, meanwhile] = [percentile(rest.times, 0.99), percentile(drop.times, 0.99)];
  const delay = Math.max(0, meanwhile - before);
  return {
    figure: `${delay.toFixed(0)} ms`,
    ok: left.length === 0 && delay <= LIMIT_MS,
    text: `p99 ${before.toFixed(0)} ms at rest (${rest.times.length}), ${meanwhile.toFixed(0)} ms meanwhile (${drop.times.length}), the longest ${Math.max(...drop.times).toFixed(0)} ms; all old days left in ${drop.ms.toFixed(0)} ms${left.length > 0 ? '; the day is still there' : ''}`,
  };
}
