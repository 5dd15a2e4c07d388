import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/lib/environment.mjs';

const DAY_MS = 86_400_000;
const EPOCH_MS = Date.UTC(2024, 0, 1);
const IDS_A_MS = 4_096;
const OLD_DAYS = 60;
const KEPT_DAYS = '30';
const CAMPAIGNS = 20;
const RECIPIENTS = 2_000;

const startOfDay = (daysAgo) => Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS;
const nameOf = (at) => `d${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`;
const boundOf = (at, byDate) =>
  byDate ? `'${new Date(at).toISOString().slice(0, 10)}'` : `${(at - EPOCH_MS) * IDS_A_MS}`;

/** The oldest partition of every table that is cut into days becomes two: one that ends after the old day, and the rest. */
async function cutOldDay(pool) {
  const [tables] = await pool.query(
    `SELECT TABLE_NAME AS name, PARTITION_NAME AS part, PARTITION_METHOD AS method, PARTITION_DESCRIPTION AS bound
     FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND PARTITION_ORDINAL_POSITION = 1 AND TABLE_NAME IN (?)`,
    [['campaign_recipients', 'provider_messages', 'campaign_counters']],
  );
  const end = startOfDay(OLD_DAYS - 1);
  for (const { name, part, method, bound } of tables) {
    const old = `PARTITION ${nameOf(end - DAY_MS)} VALUES LESS THAN (${boundOf(end, method === 'RANGE COLUMNS')})`;
    await pool.query(
      `ALTER TABLE ${name} REORGANIZE PARTITION ${part} INTO (${old}, PARTITION ${part} VALUES LESS THAN (${bound}))`,
    );
  }
}

/** A day of campaigns that were over long ago. */
async function fillOldDay(pool) {
  const at = startOfDay(OLD_DAYS) + 1_000;
  const moment = new Date(at);
  const from = (at - EPOCH_MS) * IDS_A_MS;
  const ids = Array.from({ length: CAMPAIGNS }, (_, index) => from + index);
  const [[account]] = await pool.query("SELECT id FROM accounts WHERE username = 'asha'");
  for (const id of ids) {
    await pool.query(
      `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
         unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, created_at, completed_at)
       VALUES (?, ?, ?, 'sms', 'completed', 'Old', 'sms', 1, '{"message":"Hello"}', 'gsm_credits', 0, 0, ?, 0, 0, ?, ?)`,
      [id, account.id, `old-${id}`, RECIPIENTS, moment, moment],
    );
    await pool.query(
      `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT ?, seq, CONCAT('9170', LPAD(seq, 8, '0')), 2, 1, ? FROM seq_1_to_${RECIPIENTS}`,
      [id, moment],
    );
    await pool.query(
      `INSERT INTO provider_messages (campaign_id, seq, item, sent_on, route_id, provider_message_id, items, status)
       SELECT ?, seq, 0, ?, 1, CONCAT('old-', ?, '-', seq), 1, 2 FROM seq_1_to_${RECIPIENTS}`,
      [id, moment.toISOString().slice(0, 10), id],
    );
  }
}

const oldPartitions = async (pool) => {
  const [rows] = await pool.query(
    'SELECT TABLE_NAME AS name FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND PARTITION_NAME = ?',
    [nameOf(startOfDay(OLD_DAYS))],
  );
  return rows.map(({ name }) => name);
};

export default {
  name: 'partition-dropped',
  shown: `a day of ${CAMPAIGNS * RECIPIENTS} old recipients goes meanwhile, as retention does it (\`npm run cli -- keep-tables\`)`,
  strict: true,
  spoils: true,
  // each look of the judge at all recipients uses the table, the longer the more of them there are
  share: 0.25,
  async strike(scene, _seed, { say }) {
    const { pool } = scene;
    await cutOldDay(pool);
    await fillOldDay(pool);
    const [{ environment }] = scene.workers;
    const program = join(ROOT, 'dist/src/apps/cli/main.js');
    for (let left = await oldPartitions(pool), tries = 0; left.length > 0; tries++) {
      if (tries > 20) throw new Error(`The old day of ${left.join(', ')} is still there`);
      // it gives up after a second behind a transaction that has used the table, and comes again
      const options = { env: { PATH: process.env.PATH, ...environment, RETENTION_DAYS: KEPT_DAYS } };
      await promisify(execFile)(process.execPath, [program, 'keep-tables'], options).catch((error) =>
        say(error.stderr.trim()),
      );
      left = await oldPartitions(pool);
    }
    say('the old day is gone');
  },
};
