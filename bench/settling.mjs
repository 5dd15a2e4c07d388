import mysql from 'mysql2/promise';
import { addRoute } from '../test/stage/carrier.mjs';
import { broadcast, contacts, until } from '../test/stage/client.mjs';
import { median, quantile, size, timed } from '../test/stage/figures.mjs';
import { openSlowLog } from '../test/stage/slow-log.mjs';
import { ratio, verdict } from './results.mjs';
import { dispatchOnce, onStage, sendSms, SMS_PATH } from './stage.mjs';

const ROUNDS = 3;
const RECEIPTS = size('RECEIPTS', 30_000);
const CANCELLED = size('CANCELLED', 300_000);
/** receipts that the carrier sends without waiting for an answer to them */
const AT_ONCE = 2_000;
/** rows of one UPDATE of the bare way */
const BATCH = 1_000;
const STEP = 5_000;
const seconds = async (work) => (await timed(work)) / 1_000;

/** Recipients and their carrier's ids in tables of the same shape, for the bare ways. @returns their campaign */
async function bareRecipients(database, total) {
  await database.query('DROP TABLE IF EXISTS bench_settled, bench_messages');
  for (const [bare, table] of [
    ['bench_settled', 'campaign_recipients'],
    ['bench_messages', 'provider_messages'],
  ]) {
    await database.query(`CREATE TABLE ${bare} LIKE ${table}`);
    if (bare === 'bench_messages')
      await database.query('ALTER TABLE bench_messages ADD KEY ix_bench_id (route_id, provider_message_id)');
    await database.query(`INSERT INTO ${bare} SELECT * FROM ${table} ORDER BY campaign_id DESC LIMIT ?`, [total]);
  }
  const [[{ id }]] = await database.query('SELECT MAX(campaign_id) AS id FROM bench_settled');
  return id;
}

/**
 * Statuses by one UPDATE a thousand receipts, each committed, where nothing is checked, counted or answered: found by the
 * carrier's id, which is all that a receipt says.
 */
async function bareReceipts(database, id) {
  const [rows] = await database.query(
    'SELECT route_id AS route, provider_message_id AS message FROM bench_messages WHERE campaign_id = ? ORDER BY seq',
    [id],
  );
  const batches = Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    JSON.stringify(rows.slice(index * BATCH, (index + 1) * BATCH).map(({ route, message }) => [route, message, 2])),
  );
  return seconds(async () => {
    for (const batch of batches) {
      await database.query(
        `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (route_id INT PATH '$[0]',
           message VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]', status INT PATH '$[2]')) j
         STRAIGHT_JOIN bench_messages m FORCE INDEX (ix_bench_id) ON m.route_id = j.route_id AND m.provider_message_id = j.message
         STRAIGHT_JOIN bench_settled r ON r.campaign_id = m.campaign_id AND r.seq = m.seq
         SET r.status = j.status, r.updated_at = UTC_TIMESTAMP(3), r.delivered_at = UTC_TIMESTAMP(3)`,
        [batch],
      );
    }
  });
}

async function bareCancel(database, id) {
  for (let from = 1; from <= CANCELLED; from += STEP) {
    await database.query(
      `UPDATE bench_settled SET status = 5, updated_at = UTC_TIMESTAMP(3)
       WHERE campaign_id = ? AND seq BETWEEN ? AND ? AND status = 0`,
      [id, from, from + STEP - 1],
    );
  }
}

const sumOf = async (pool, sql, values) => Number(Object.values((await pool.query(sql, values))[0][0])[0]);

/** Receipts with random ids over SMPP until every recipient is DELIVERED. */
async function receipts(set, client, carrier, bare, say) {
  const rates = [];
  for (let round = -1; round < ROUNDS; round++) {
    await carrier.ask({ forget: true });
    await dispatchOnce(set.pool, RECEIPTS, () => sendSms(client, RECEIPTS));
    const id = await bareRecipients(bare, RECEIPTS);
    const sql = 'SELECT COALESCE(SUM(recipients), 0) FROM campaign_counters WHERE campaign_id = ? AND status = 2';
    const ours = await seconds(async () => {
      await carrier.ask({ receipts: AT_ONCE });
      await until(() => sumOf(set.pool, sql, [id]), (total) => total === RECEIPTS, { everyMs: 20 }); // prettier-ignore
    });
    const rate = { ours: RECEIPTS / ours, 'bare batched UPDATE': RECEIPTS / (await bareReceipts(bare, id)) };
    if (round < 0) continue;
    rates.push(rate);
    say(`receipts: ours ${rate.ours.toFixed(0)}/s, bare UPDATE ${rate['bare batched UPDATE'].toFixed(0)}/s`);
  }
  const row = { name: 'receipts to DELIVERED', goal: 'at least 0.7', unit: '/s' };
  return ratio(rates, ['ours', 'bare batched UPDATE'], row);
}

/** From the request to cancel until everything is cancelled and paid back. */
async function cancellation(set, client, bare, say) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const body = { ...JSON.parse(broadcast(contacts(CANCELLED), 'bench')), schedule_time: '2099-01-01T00:00:00Z' };
    const { request_id: requestId } = await client.call('POST', SMS_PATH, body);
    const id = await bareRecipients(bare, CANCELLED);
    const sql = 'SELECT refunded_credits FROM campaigns WHERE request_id = ?';
    const ours = await seconds(async () => {
      await client.call('POST', `/v6/api/campaigns/${requestId}/cancel`);
      await until(() => sumOf(set.pool, sql, [requestId]), (credits) => credits === CANCELLED, { everyMs: 20 }); // prettier-ignore
    });
    times.push({ ours, 'bare UPDATE': await seconds(() => bareCancel(bare, id)) });
    say(
      `cancel and refund ${CANCELLED}: ${ours.toFixed(1)} s, bare UPDATE ${times[round]['bare UPDATE'].toFixed(1)} s`,
    );
  }
  const name = `cancel and refund ${CANCELLED}`;
  return [
    verdict(`${name}, seconds`, median(times.map(({ ours }) => ours)), 'at most 4'),
    ratio(times, ['ours', 'bare UPDATE'], { name, goal: 'none yet', unit: 's' }),
  ];
}

/** What becomes of recipients, over bare UPDATEs of as many rows: receipts, and a campaign that is cancelled. */
export const benchSettling = onStage(async (set, say) => {
  const carrier = await set.carrier('9');
  const bare = await mysql.createConnection(set.environment.DATABASE_URL);
  set.onEnd(() => bare.end());
  const { admin, client } = await set.signInAt(await set.start('api'));
  await addRoute(admin, carrier);
  await set.start('worker');
  return [await receipts(set, client, carrier, bare, say), ...(await cancellation(set, client, bare, say))];
});

const A_FLUSH = 500;
const FLUSHED = size('FLUSHES', 60) * A_FLUSH;
/** the transactions that are flushes */
const STATUSES = /^UPDATE[^]*campaign_recipients/i;

/** A statement without its values, short. */
const kindOf = (sql) =>
  sql
    .replace(/\s+/g, ' ')
    .replace(/'(?:[^'\\]|\\.)*'|\d+/g, '?')
    .slice(0, 60);

/** Says what kinds of statements the transactions have, how many each, and how long they take in one of 500 results. */
function sayKinds(flushes, share, say) {
  const kinds = new Map();
  for (const { sql, ms } of flushes.flat()) {
    const { count, sum } = kinds.get(kindOf(sql)) ?? { count: 0, sum: 0 };
    kinds.set(kindOf(sql), { count: count + 1, sum: sum + ms });
  }
  for (const [kind, { count, sum }] of [...kinds].sort(([, one], [, other]) => other.sum - one.sum))
    say(`${(count / flushes.length).toFixed(2)} times, ${((sum * share) / flushes.length).toFixed(2)} ms: ${kind}`);
}

/** Milliseconds by the slow log of UPDATEs of 500 rows each, which write nothing else. */
async function plainUpdates(bare, log) {
  const id = await bareRecipients(bare, FLUSHED);
  for (let from = 1; from <= FLUSHED; from += A_FLUSH) {
    const rows = JSON.stringify(Array.from({ length: A_FLUSH }, (_, index) => from + index));
    await bare.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$')) j
       STRAIGHT_JOIN bench_settled r ON r.campaign_id = ? AND r.seq = j.seq
       SET r.status = 1, r.attempts = r.attempts + 1, r.updated_at = UTC_TIMESTAMP(3)`,
      [rows, id],
    );
  }
  return log.statements(/^UPDATE[^]*STRAIGHT_JOIN bench_settled/).map(({ ms }) => ms);
}

/**
 * Time that the database spends on the transactions in which a worker writes results, by its slow log, over one UPDATE of as many
 * rows. One batch at a time: nothing waits for another.
 */
const flushed = async (set, say) => {
  const { admin, client } = await set.signInAt(await set.start('api'));
  await addRoute(admin, await set.carrier());
  const log = await openSlowLog(set.pool);
  set.onEnd(() => log.close());
  await set.start('worker');
  const flushesOf = async (total) => {
    const former = log.transactions(STATUSES).length;
    await dispatchOnce(set.pool, total, () => sendSms(client, total));
    return log.transactions(STATUSES).slice(former);
  };
  await flushesOf(FLUSHED / 4);
  const flushes = await flushesOf(FLUSHED);
  const share = (A_FLUSH * flushes.length) / FLUSHED;
  sayKinds(flushes, share, say);
  const bare = await mysql.createConnection(set.environment.DATABASE_URL);
  set.onEnd(() => bare.end());
  const plain = await plainUpdates(bare, log);
  const spent = flushes.map((statements) => share * statements.reduce((sum, { ms }) => sum + ms, 0));
  const text = `a tenth of them less than ${quantile(spent, 0.1).toFixed(1)}; ${(flushes.flat().length / flushes.length).toFixed(1)} statements, ${(A_FLUSH / share).toFixed(0)} results each`;
  const rounds = spent.map((ms) => ({ 'a flush of 500 results': ms, 'one UPDATE of 500': median(plain) }));
  const row = { name: 'time of the database', goal: 'none', unit: 'ms' };
  return [
    verdict('a flush of 500 results, ms of the database', median(spent), 'at most 12', text),
    ratio(rounds, ['a flush of 500 results', 'one UPDATE of 500'], row),
  ];
};
export const benchFlush = onStage(flushed, { WORKER_CONCURRENCY: '1' });
