/** Fills the tables by SQL, as sending would have left them: days of campaigns, each recipient with a carrier's id. */
import { createHash } from 'node:crypto';
import { sqlMessageKey } from '../test/stage/message-key.mjs';

const EPOCH_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const IDS_PER_MS = 4_096;
export const RECIPIENTS = 1_000;
const CAMPAIGNS_A_STATEMENT = 50;
/** one campaign in so many is the account `bench`'s, the others are another's */
const OWN_EVERY = 10;
/** of the campaigns of the last days so many still wait for their receipts */
const OPEN = { days: 2, every: 4 };
const SUBMITTED = 1;
const DELIVERED = 2;
/** no two days of filling use the same */
let phase = 0;

export const numberOf = (seq) => `9199${String(seq).padStart(8, '0')}`;
/** The carrier's id of a recipient: as good as random, known again, and in its normal form (the letter m stands in no number). */
export const messageIdOf = (id, seq) => `m${createHash('md5').update(`${id}-${seq}`).digest('hex').slice(0, 15)}`;

/** Bounds of days as a table has them: ids of events, dates, or ids. */
function boundLike(example) {
  if (example.startsWith("'evt_")) return (at) => `'evt_${at.toString(16).padStart(12, '0')}'`;
  if (example.startsWith("'")) return (at) => `'${new Date(at).toISOString().slice(0, 10)}'`;
  return (at) => (at - EPOCH_MS) * IDS_PER_MS;
}

/** Cuts today's partitions into days, as if the service had run for so long. */
export async function cutDays(database, days) {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const [tables] = await database.query(
    `SELECT table_name AS name, partition_name AS first, partition_description AS firstBound FROM information_schema.partitions
     WHERE table_schema = DATABASE() AND partition_ordinal_position = 1 AND partition_method LIKE 'RANGE%'`,
  );
  for (const { name, first, firstBound } of tables) {
    const bound = boundLike(firstBound);
    const partitions = Array.from({ length: days + 1 }, (_, index) => {
      const day = today - (days - index) * DAY_MS;
      const label = new Date(day).toISOString().slice(0, 10).replaceAll('-', '');
      return `PARTITION d${label} VALUES LESS THAN (${bound(day + DAY_MS)})`;
    });
    await database.query(`ALTER TABLE ${name} REORGANIZE PARTITION ${first} INTO (${partitions.join(', ')})`);
  }
}

/** Numbers from 1, to multiply campaigns by. */
export async function addNumbers(database) {
  await database.query('CREATE TABLE bench_numbers (n INT UNSIGNED PRIMARY KEY)');
  const rows = Array.from({ length: RECIPIENTS }, (_, index) => `(${index + 1})`);
  await database.query(`INSERT INTO bench_numbers VALUES ${rows.join(',')}`);
}

/**
 * Campaigns of 1,000 recipients each, spread over the days until an hour ago.
 * @returns ids of those of the account `bench`, and of those that wait for receipts
 */
export async function fill(database, rows, days, say) {
  const total = Math.round(rows / RECIPIENTS);
  const until = Date.now() - 3_600_000;
  const from = until - days * DAY_MS;
  const [[own], [other]] = await Promise.all(
    ['bench', 'bench-1'].map(
      async (name) => (await database.query('SELECT id FROM accounts WHERE username = ?', [name]))[0],
    ),
  ).then((found) => found.map(([row]) => [row]));
  const [[route]] = await database.query("SELECT id FROM routes WHERE name = 'bench'");
  const filled = { own: [], open: [] };
  phase += 1;
  let said = performance.now();
  for (let first = 0; first < total; first += CAMPAIGNS_A_STATEMENT) {
    const campaigns = Array.from({ length: Math.min(CAMPAIGNS_A_STATEMENT, total - first) }, (_, index) => {
      const number = first + index;
      const at = Math.floor(from + ((until - from) * number) / total);
      const id = (at - EPOCH_MS) * IDS_PER_MS + phase;
      const isOpen = at > until - OPEN.days * DAY_MS && number % OPEN.every === 1;
      const isOwn = number % OWN_EVERY === 0;
      if (isOpen) filled.open.push(id);
      if (isOwn) filled.own.push(id);
      return {
        id,
        at: new Date(at).toISOString().replace('T', ' ').slice(0, 23),
        isOpen,
        account: isOwn ? own.id : other.id,
      };
    });
    await insert(database, campaigns, route.id);
    if (performance.now() - said > 20_000) {
      said = performance.now();
      say(
        `filled ${(((first + campaigns.length) * RECIPIENTS) / 1e6).toFixed(1)} of ${(rows / 1e6).toFixed(1)} million`,
      );
    }
  }
  return filled;
}

async function insert(database, campaigns, routeId) {
  const ids = campaigns.map(({ id }) => id);
  await database.query('START TRANSACTION');
  await database.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, charged_credits, total_rows, open_lanes, refunded_credits, overdue_check_at, created_at, sent_at, completed_at)
     VALUES ${campaigns.map(() => "(?, ?, ?, 'sms', ?, 'bench', 'bench', ?, '{\"message\":\"Hello\"}', 'gsm_credits', 1, ?, ?, ?, 0, ?, ?, ?, ?)").join(',')}`,
    campaigns.flatMap(({ id, at, isOpen, account }) => [
      ...[id, account, `GSMCAMP_${id}`, isOpen ? 'running' : 'completed', routeId, RECIPIENTS, RECIPIENTS],
      ...[isOpen ? 1 : 0, isOpen ? '2099-01-01' : null, at, at, isOpen ? null : at],
    ]),
  );
  const status = `IF(c.open_lanes = 1, ${SUBMITTED}, ${DELIVERED})`;
  await database.query(
    `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
     SELECT c.id, 0, ${status}, c.total_rows, IF(c.open_lanes = 1, c.total_rows, 0) FROM campaigns c WHERE c.id IN (?)`,
    [ids],
  );
  await database.query(
    `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at, delivered_at)
     SELECT c.id, n.n, CONCAT('9199', LPAD(n.n, 8, '0')), ${status}, 1, c.created_at, IF(c.open_lanes = 1, NULL, c.created_at)
     FROM campaigns c JOIN bench_numbers n WHERE c.id IN (?) ORDER BY c.id, n.n`,
    [ids],
  );
  await database.query(
    `INSERT INTO provider_messages (campaign_id, seq, item, sent_on, route_id, provider_message_id, items, status, submitted_at, message_key)
     SELECT m.*, ${sqlMessageKey('m.route_id', 'm.message')} FROM (
       SELECT c.id, n.n, 0, DATE(c.created_at), c.route_id, CONCAT('m', LEFT(MD5(CONCAT(c.id, '-', n.n)), 15)) AS message, 1, ${status}, c.created_at
       FROM campaigns c JOIN bench_numbers n WHERE c.id IN (?)) m ORDER BY m.id, m.n`,
    [ids],
  );
  await database.query(
    `INSERT INTO credit_ledger (account_id, balance, amount, available, kind, request_id, created_at)
     SELECT c.account_id, c.balance, -c.charged_credits, 0, 'debit', c.request_id, c.created_at FROM campaigns c WHERE c.id IN (?)`,
    [ids],
  );
  await database.query('COMMIT');
}

/** Bytes of a row with its share of the indexes. */
export async function bytesOfRow(database, table) {
  await database.query(`ANALYZE TABLE ${table}`);
  const [[size]] = await database.query(
    `SELECT SUM(data_length + index_length) AS bytes FROM information_schema.partitions
     WHERE table_schema = DATABASE() AND table_name = ?`,
    [table],
  );
  const [[rows]] = await database.query(`SELECT COUNT(*) AS total FROM ${table}`);
  return Number(size.bytes) / Number(rows.total);
}
