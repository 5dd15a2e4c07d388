import { Redis } from 'ioredis';
import { addAccounts } from '../../stage/accounts.mjs';
import { addRoute } from '../../stage/carrier.mjs';
import { contacts, until } from '../../stage/client.mjs';
import { openSlowLog } from '../../stage/slow-log.mjs';
import { idOf, PENDING } from '../stored-campaign.mjs';

const LANES = 20_000;
const ROUTES = 20;
const ACCOUNTS = 1_000;
const AT_ONCE = 1_000;
const MOST_EXAMINED = 1_000;
const DRAINED_MS = 1_000;

export const name = 'due-lanes';
export const shown =
  '20,000 lanes of 1,000 accounts and 20 routes due at once, two relays: until each route has its turn in the queue, which takes its lanes';
export const goal = 'each look examines ≤ 1,000 rows, all routes ≤ 1 s';
export const needs = ['single'];

/** Campaigns of one recipient that wait for a moment nobody has set yet. */
async function storeLanes(pool, routes, accounts) {
  const receivers = contacts(LANES);
  const all = Array.from({ length: LANES }, (_, index) => index + 1);
  for (let first = 0; first < LANES; first += AT_ONCE) {
    const ids = all.slice(first, first + AT_ONCE);
    const of = (id) => ({ route: routes[id % routes.length], account: accounts[id % ACCOUNTS] });
    const now = new Date();
    await pool.query(
      `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
         unit_credits, total_rows, open_lanes, refunded_credits, created_at) VALUES ?`,
      [ids.map((id) => [id, of(id).account, `STORED_${id}`, 'sms', 'running', 'bench', 'bench', of(id).route, '{"message":"Hello"}', 'gsm_credits', 1, 1, 1, 0, now])], // prettier-ignore
    );
    await pool.query(
      'INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at) VALUES ?',
      [ids.map((id) => [id, 1, receivers[id - 1], PENDING, 0, now])],
    );
    await pool.query('INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled) VALUES ?', [
      ids.map((id) => [id, 0, PENDING, 1, 1]),
    ]);
    await pool.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq, fence)
       VALUES ?`,
      [ids.map((id) => [id, 0, 'sms', of(id).route, of(id).account, 1, 1, 1, 2, 0])],
    );
  }
}

/** Routes whose turn has been queued. */
async function listenForTurns(stage) {
  const redis = new Redis(stage.redis.url);
  stage.onEnd(() => redis.disconnect());
  const seen = new Set();
  redis.on('pmessage', (_pattern, _channel, job) => seen.add(job.split('-')[0]));
  await redis.psubscribe(`{${stage.environment.REDIS_PREFIX}:sms}:sms:waiting*`);
  return seen;
}

export async function run(stage) {
  const { pool } = stage;
  const carrier = await stage.carrier('9');
  const api = await stage.start('api');
  const { admin } = await stage.signInAt(api);
  const names = Array.from({ length: ROUTES }, (_, index) => `bench-${index}`);
  for (const route of names) await addRoute(admin, carrier, route);
  const routes = await Promise.all(names.map((route) => idOf(pool, 'routes', 'name', route)));
  await storeLanes(pool, routes, await addAccounts(pool, ACCOUNTS));
  const log = await openSlowLog(pool);
  stage.onEnd(() => log.close());
  await Promise.all([stage.start('worker'), stage.start('worker')]);
  const turns = await listenForTurns(stage);
  const due = async () => {
    const [[{ waiting }]] = await pool.query(
      'SELECT COUNT(*) AS waiting FROM campaign_lanes WHERE wake_at <= UTC_TIMESTAMP(3)',
    );
    return Number(waiting);
  };
  turns.clear();
  await pool.query('UPDATE campaign_lanes SET wake_at = UTC_TIMESTAMP(3)');
  const began = Date.now();
  await until(() => turns.size, (seen) => seen >= ROUTES, { everyMs: 5 }); // prettier-ignore
  const drained = Date.now() - began;
  await until(due, (waiting) => waiting === 0, { everyMs: 200 });
  const taken = Date.now() - began;
  const looks = log.statements(/^\(?SELECT[^]*FROM campaign_lanes FORCE INDEX/);
  const ofRelays = looks.filter(({ sql }) => /AS routeId/.test(sql));
  const mostOf = (statements) => Math.max(...statements.map(({ examined }) => examined));
  const seconds = (ms) => `${(ms / 1_000).toFixed(2)} s`;
  return {
    figure: `${mostOf(looks)} rows, all routes after ${seconds(drained)}, the last lane in hand after ${seconds(taken)}`,
    ok: ofRelays.length > 0 && mostOf(looks) <= MOST_EXAMINED && drained <= DRAINED_MS,
    text: `${ofRelays.length} looks of relays (at most ${mostOf(ofRelays)} rows), ${looks.length - ofRelays.length} of turns (${mostOf(looks)})`,
  };
}
