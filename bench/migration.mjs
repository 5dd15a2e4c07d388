/**
 * `node bench/migration.mjs`: the upgrade of a database with data. A database of the version before the tables were cut is
 * made and filled by SQL; all that reports, proofs and deliveries are made of is recorded; the new migrations run, each
 * timed; then everything must be as it was. TRIAL_RECIPIENTS (1,000,000). Servers as for `npm test`; the database
 * `switchboard_trial` is made anew and removed.
 */
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { ensureModules } from '../scripts/lib/build.mjs';
import { dataDirectory, testEnvironment } from '../scripts/lib/environment.mjs';
import { Lifetime } from '../scripts/lib/lifetime.mjs';
import { print } from '../scripts/lib/progress.mjs';
import { ensureServers } from '../scripts/lib/servers.mjs';
import { fillFormer } from './former-data.mjs';

const RECIPIENTS = Number(process.env.TRIAL_RECIPIENTS ?? 1_000_000);
const LAST_FORMER = 1_700_000_013_900;
const DATABASE = 'switchboard_trial';

/** A number of all rows of a table, whatever their order: of how many there are, and of what they say. */
const rows = (table, columns, where = 'TRUE') =>
  `SELECT COUNT(*) AS \`rows\`, CAST(COALESCE(BIT_XOR(CAST(CONV(LEFT(MD5(CONCAT_WS('|', ${columns
    .split(/,\s*/)
    .map((column) => `COALESCE(${column}, '-')`)
    .join(', ')})), 15), 16, 10) AS UNSIGNED)), 0) AS CHAR) AS hash FROM ${table} WHERE ${where}`;

const RECIPIENT =
  'seq, receiver, status, attempts, error_code, error_message, duration, updated_at, delivered_at, refunded, source_seq, outcome_unknown';
const CAMPAIGN =
  'id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance, unit_credits, total_rows, refunded_credits, retry_of, scheduled_at, overdue_check_at, created_at, sent_at, completed_at';

/** What is recorded: one statement before and after, or one each. */
const FACTS = {
  // what the report of a campaign is made of, campaign by campaign
  reports: `${rows('campaign_recipients', RECIPIENT).replace('SELECT ', 'SELECT campaign_id, ')} GROUP BY campaign_id ORDER BY campaign_id`,
  campaigns: rows('campaigns', CAMPAIGN),
  'status counts': `SELECT campaign_id, status, CAST(SUM(recipients) AS SIGNED) AS recipients FROM campaign_counters
    GROUP BY campaign_id, status HAVING recipients <> 0 ORDER BY campaign_id, status`,
  unsettled: {
    before: 'SELECT id, unsettled FROM campaigns ORDER BY id',
    after: `SELECT c.id, CAST((SELECT COALESCE(SUM(k.unsettled), 0) FROM campaign_counters k WHERE k.campaign_id = c.id) AS SIGNED) AS unsettled
      FROM campaigns c ORDER BY c.id`,
  },
  balances: 'SELECT account_id, balance, available FROM credit_balances ORDER BY account_id, balance',
  ledger: rows('credit_ledger', 'id, account_id, balance, amount, available, kind, request_id, note, created_at'),
  proofs: `SELECT b.account_id, b.balance, CAST(SUM(l.amount) AS SIGNED) - b.available AS fault FROM credit_balances b
    JOIN credit_ledger l ON l.account_id = b.account_id AND l.balance = b.balance GROUP BY 1, 2, b.available ORDER BY 1, 2`,
  "carriers' ids": rows(
    'provider_messages',
    'campaign_id, seq, item, route_id, provider_message_id, match_key, items, status, receipts, submitted_at',
  ),
  calls: rows('voice_calls', 'campaign_id, seq, call_id, attempt, status, seconds, digits, started_at, ended_at'),
  'unknown outcomes': rows('unknown_outcomes', 'campaign_id, seq, route_id, receiver, created_at'),
  retries: rows('recipient_retries', 'campaign_id, seq, lane, due_at, attempt, last_status'),
  lanes: rows('campaign_lanes', 'campaign_id, lane, channel, next_seq, intent_seq, end_seq, fence, wake_at'),
  events: rows('webhook_events', 'id, account_id, type, body, campaign_id, seq, created_at'),
  deliveries: rows('webhook_deliveries', 'endpoint_id, event_id, due_at, tries, attempts, revision'),
  tries: rows('webhook_attempts', 'endpoint_id, id, event_id, type, attempt, status_code, answer, created_at'),
  'session messages': rows('session_messages', 'id, account_id, route_id, receiver, content, status, created_at'),
  'stop lists': rows('suppressions', 'account_id, number, source, created_at'),
  audio: rows('audio_files', 'id, token, content_key, extension, mime, milliseconds, size, created_at'),
};

async function factsOf(db, when) {
  const found = {};
  for (const [name, fact] of Object.entries(FACTS)) {
    const [answer] = await db.query(typeof fact === 'string' ? fact : fact[when]);
    found[name] = JSON.stringify(answer);
  }
  return found;
}

const timestampOf = ({ name }) => Number(/\d{13}$/.exec(name)[0]);

async function migrate(url, migrations) {
  const dataSource = new DataSource({ type: 'mysql', url, migrations, migrationsTableName: 'migrations', timezone: 'Z', supportBigNumbers: true, bigNumberStrings: false, charset: 'utf8mb4_bin' }); // prettier-ignore
  await dataSource.initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await dataSource.destroy();
}

const LARGE = [
  'campaign_recipients',
  'provider_messages',
  'voice_calls',
  'webhook_events',
  'webhook_attempts',
  'credit_ledger',
];

async function megabytes(db) {
  await db.query('SET SESSION information_schema_stats_expiry = 0').catch(() => undefined); // MySQL keeps them for a day
  await db.query(`ANALYZE TABLE ${LARGE.join(', ')}`);
  const [[{ bytes }]] = await db.query(
    'SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = ?',
    [DATABASE],
  );
  return Math.round(Number(bytes) / 1_048_576);
}

const seconds = async (work) => {
  const begun = performance.now();
  await work();
  return ((performance.now() - begun) / 1_000).toFixed(1);
};

/** Closes the ledger, and proves every balance and closing as the service does. @returns seconds for the closing */
async function proveClosings(url, db) {
  const { LedgerClosings } = await import('../dist/modules/src/modules/credits/persistence/ledger-closings.js');
  const { ProveCreditsHandler } = await import('../dist/modules/src/modules/credits/queries/prove-credits.query.js');
  const dataSource = new DataSource({ type: 'mysql', url, timezone: 'Z', supportBigNumbers: true, bigNumberStrings: false, extra: { decimalNumbers: false } }); // prettier-ignore
  await dataSource.initialize();
  try {
    const took = await seconds(() => new LedgerClosings(dataSource, { RETENTION_DAYS: 0 }).close());
    const [accounts] = await db.query('SELECT id FROM accounts');
    for (const { id } of accounts) {
      const proofs = await new ProveCreditsHandler(dataSource).execute({ accountId: id, withClosings: true });
      if (proofs.some(({ ok }) => !ok)) throw new Error(`The balances of account ${id} are not proved: ${JSON.stringify(proofs)}`); // prettier-ignore
    }
    return took;
  } finally {
    await dataSource.destroy();
  }
}

async function trial(server, url) {
  const { migrations } = await import('../dist/modules/src/platform/database/migrations/index.js');
  await server.query(`DROP DATABASE IF EXISTS ${DATABASE}`);
  await server.query(`CREATE DATABASE ${DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  const isFormer = (migration) => timestampOf(migration) <= LAST_FORMER;
  await migrate(url, migrations.filter(isFormer));
  const db = await mysql.createConnection({ uri: url, supportBigNumbers: true, timezone: 'Z' });
  print(`  filled in ${await seconds(() => fillFormer(db, RECIPIENTS, (line) => print(`  ${line}`)))} s`);
  const before = await factsOf(db, 'before');
  print(`  ${await megabytes(db)} MB before`);
  const total = await seconds(async () => {
    for (const migration of migrations.filter((one) => !isFormer(one))) {
      const until = migrations.filter((one) => timestampOf(one) <= timestampOf(migration));
      print(`  ${(await seconds(() => migrate(url, until))).padStart(7)} s  ${migration.name}`);
    }
  });
  print(`  ${total.padStart(7)} s  in all; ${await megabytes(db)} MB after`);
  const after = await factsOf(db, 'after');
  const wrong = Object.keys(FACTS).filter((name) => before[name] !== after[name]);
  for (const name of Object.keys(FACTS)) print(`  ${wrong.includes(name) ? 'DIFFERS' : 'equal  '}  ${name}`);
  print(`  ${(await proveClosings(url, db)).padStart(7)} s  to close the months of the ledger`);
  const [faults] = await db.query(
    `SELECT 1 FROM campaign_audio a LEFT JOIN audio_files f ON f.id = a.audio_id WHERE f.id IS NULL
     UNION ALL SELECT 1 FROM campaigns c WHERE c.channel = 'voice' AND NOT EXISTS (SELECT 1 FROM campaign_audio a WHERE a.campaign_id = c.id)`,
  );
  if (faults.length > 0) print(`  ${faults.length} campaigns of voice have lost their audio`);
  await db.end();
  await server.query(`DROP DATABASE ${DATABASE}`);
  if (wrong.length + faults.length > 0) throw new Error('The upgrade changed what it must not');
}

const lifetime = new Lifetime();
try {
  await ensureModules();
  const own = testEnvironment();
  const directory = join(dataDirectory(own), 'bench');
  const { DATABASE_URL } = await ensureServers(own, directory, (stop) => lifetime.onEnd(stop));
  const url = new URL(DATABASE_URL);
  url.pathname = `/${DATABASE}`;
  const server = await mysql.createConnection({ uri: DATABASE_URL });
  await trial(server, url.href);
  await server.end();
  await lifetime.end(0);
} catch (error) {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  await lifetime.end(1);
}
