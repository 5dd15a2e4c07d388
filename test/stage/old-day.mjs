/** A day of long ago, for what retention does with it: a partition of its own, and campaigns that were over then. */

const DAY_MS = 86_400_000;
/** ids carry their time (`src/kernel/ids.ts`) */
const EPOCH_MS = Date.UTC(2024, 0, 1);
const IDS_A_MS = 4_096;
const TABLES = ['campaign_recipients', 'provider_messages', 'campaign_counters'];
const DELIVERED = 2;

const startOfDay = (daysAgo) => Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS;
const dateOf = (at) => new Date(at).toISOString().slice(0, 10);
const nameOf = (at) => `d${dateOf(at).replaceAll('-', '')}`;
const idAt = (at) => (at - EPOCH_MS) * IDS_A_MS;
const boundOf = (at, byDate) => (byDate ? `'${dateOf(at)}'` : `${idAt(at)}`);

/** The oldest partition of every table that is cut into days becomes two: one that ends after this day, and the rest. */
export async function cutOldDay(pool, daysAgo) {
  const [tables] = await pool.query(
    `SELECT TABLE_NAME AS name, PARTITION_NAME AS part, PARTITION_METHOD AS method, PARTITION_DESCRIPTION AS bound
     FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND PARTITION_ORDINAL_POSITION = 1 AND TABLE_NAME IN (?)`,
    [TABLES],
  );
  const end = startOfDay(daysAgo - 1);
  for (const { name, part, method, bound } of tables) {
    const old = `PARTITION ${nameOf(end - DAY_MS)} VALUES LESS THAN (${boundOf(end, method === 'RANGE COLUMNS')})`;
    await pool.query(
      `ALTER TABLE ${name} REORGANIZE PARTITION ${part} INTO (${old}, PARTITION ${part} VALUES LESS THAN (${bound}))`,
    );
  }
}

/** Campaigns of that day, each recipient with the message that its carrier was given. @param recipients of each */
export async function fillOldDay(pool, daysAgo, { username, campaigns, recipients }) {
  const at = startOfDay(daysAgo) + 1_000;
  const moment = new Date(at);
  const ids = Array.from({ length: campaigns }, (_, index) => idAt(at) + index);
  const [[account]] = await pool.query('SELECT id FROM accounts WHERE username = ?', [username]);
  for (const id of ids) {
    await pool.query(
      `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
         unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, created_at, completed_at)
       VALUES (?, ?, ?, 'sms', 'completed', 'Old', 'sms', 1, '{"message":"Hello"}', 'gsm_credits', 0, 0, ?, 0, 0, ?, ?)`,
      [id, account.id, `old-${id}`, recipients, moment, moment],
    );
    await pool.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT ?, seq, CONCAT('9170', LPAD(seq, 8, '0')), ?, 1, ? FROM seq_1_to_${recipients}`,
      [id, DELIVERED, moment],
    );
    await pool.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, sent_on, route_id, provider_message_id, items, status)
       SELECT ?, seq, 0, ?, 1, CONCAT('old-', ?, '-', seq), 1, ? FROM seq_1_to_${recipients}`,
      [id, dateOf(at), id, DELIVERED],
    );
  }
}

/** The tables in which that day is still there. */
export async function tablesWithDay(pool, daysAgo) {
  const [rows] = await pool.query(
    'SELECT TABLE_NAME AS name FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND PARTITION_NAME = ?',
    [nameOf(startOfDay(daysAgo))],
  );
  return rows.map(({ name }) => name);
}
