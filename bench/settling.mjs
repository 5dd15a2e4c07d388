import mysql from 'mysql2/promise';
import { addRoute, startCarrier } from './carrier.mjs';
import { benchBroadcast, dispatchOnce } from './dispatch.mjs';
import { benchAccount, broadcast, contacts, median, size, stage, timed, until, verdict } from './stage.mjs';

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
  for (const [bare, table] of [
    ['bench_settled', 'campaign_recipients'],
    ['bench_messages', 'provider_messages'],
  ]) {
    await database.query(`CREATE TABLE IF NOT EXISTS ${bare} LIKE ${table}`);
    await database.query(`TRUNCATE ${bare}`);
    await database.query(`INSERT INTO ${bare} SELECT * FROM ${table} ORDER BY campaign_id DESC LIMIT ?`, [total]);
  }
  const [[{ id }]] = await database.query('SELECT MAX(campaign_id) AS id FROM bench_settled');
  return id;
}

/**
 * Statuses by one UPDATE a thousand receipts, each committed, where nothing is judged, counted or answered: found by the
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
         STRAIGHT_JOIN bench_messages m FORCE INDEX (ix_provider_messages_id) ON m.route_id = j.route_id AND m.provider_message_id = j.message
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

/** Receipts with random ids over SMPP until every recipient is DELIVERED. */
async function receipts(set, client, carrier, bare, say) {
  const rates = [];
  for (let round = -1; round < ROUNDS; round++) {
    await carrier.ask({ forget: true });
    await dispatchOnce(set.database, RECEIPTS, benchBroadcast(client, RECEIPTS));
    const id = await bareRecipients(bare, RECEIPTS);
    const delivered = async () => {
      const [[row]] = await set.database.query(
        'SELECT COALESCE(SUM(recipients), 0) AS total FROM campaign_counters WHERE campaign_id = ? AND status = 2',
        [id],
      );
      return Number(row.total);
    };
    const ours = await seconds(async () => {
      await carrier.ask({ receipts: AT_ONCE });
      await until(delivered, (total) => total === RECEIPTS, { everyMs: 20 });
    });
    const theirs = await bareReceipts(bare, id);
    if (round < 0) continue;
    rates.push([RECEIPTS / ours, RECEIPTS / theirs]);
    say(`receipts ${(RECEIPTS / ours).toFixed(0)}/s, bare UPDATE ${(RECEIPTS / theirs).toFixed(0)}/s`);
  }
  return verdict(
    'receipts to DELIVERED, ours / bare batched UPDATE',
    median(rates.map(([ours, theirs]) => ours / theirs)),
    'at least 0.7',
    `ours ${median(rates.map(([ours]) => ours)).toFixed(0)}/s, bare ${median(rates.map(([, theirs]) => theirs)).toFixed(0)}/s`,
  );
}

/** From the request to cancel until everything is cancelled and paid back. */
async function cancellation(set, client, bare, say) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const body = { ...JSON.parse(broadcast(contacts(CANCELLED), 'bench')), schedule_time: '2099-01-01T00:00:00Z' };
    const { request_id: requestId } = await client.call('POST', '/webhook/api/addbroadcastgsm.php', body);
    const id = await bareRecipients(bare, CANCELLED);
    const refunded = async () => {
      const [[row]] = await set.database.query(
        'SELECT refunded_credits AS credits FROM campaigns WHERE request_id = ?',
        [requestId],
      );
      return Number(row.credits);
    };
    const ours = await seconds(async () => {
      await client.call('POST', `/v6/api/campaigns/${requestId}/cancel`);
      await until(refunded, (credits) => credits === CANCELLED, { everyMs: 20 });
    });
    const theirs = await seconds(() => bareCancel(bare, id));
    times.push([ours, theirs]);
    say(`cancel and refund ${CANCELLED}: ${ours.toFixed(1)} s, bare UPDATE ${theirs.toFixed(1)} s`);
  }
  const ours = median(times.map(([seconds]) => seconds));
  return [
    verdict(`cancel and refund ${CANCELLED}, seconds`, ours, 'at most 4', ''),
    verdict(
      `cancel and refund ${CANCELLED}, ours / bare UPDATE`,
      median(times.map(([seconds, bareSeconds]) => seconds / bareSeconds)),
      'none yet',
      `bare ${median(times.map(([, seconds]) => seconds)).toFixed(1)} s`,
    ),
  ];
}

/** What becomes of recipients, over bare UPDATEs of as many rows: receipts, and a campaign that is cancelled. */
export async function benchSettling(environment, say) {
  const set = await stage(environment);
  const carrier = await startCarrier(set.environment, '9');
  const bare = await mysql.createConnection(set.environment.DATABASE_URL);
  try {
    const api = await set.api();
    const { admin, client } = await benchAccount(api.url);
    await addRoute(admin, carrier);
    await set.worker();
    return [await receipts(set, client, carrier, bare, say), ...(await cancellation(set, client, bare, say))];
  } finally {
    await bare.end();
    await set.close();
    await carrier.stop();
  }
}
