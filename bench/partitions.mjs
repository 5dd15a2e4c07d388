/**
 * `node bench/partitions.mjs [10,100,400]`: what partitions by day cost the two hottest statements, accept (INSERT …
 * SELECT FROM JSON_TABLE of 30,000 recipients) and write-back (UPDATE … JOIN JSON_TABLE, 1,000 a statement), against the
 * same table without partitions, in alternation; medians. The last column leaves the campaign's id out of the condition:
 * the server then opens every partition (docs/decisions/0022).
 */
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { dataDirectory, testEnvironment } from '../scripts/lib/environment.mjs';
import { Lifetime } from '../scripts/lib/lifetime.mjs';
import { print } from '../scripts/lib/progress.mjs';
import { ensureServers } from '../scripts/lib/servers.mjs';

const RECIPIENTS = 30_000;
const BATCH = 1_000;
const ROUNDS = 15;
const IDS_A_DAY = 86_400_000 * 4096;
const COLUMNS = `campaign_id BIGINT NOT NULL, seq INT UNSIGNED NOT NULL,
  receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, status TINYINT UNSIGNED NOT NULL,
  attempts TINYINT UNSIGNED NOT NULL, updated_at DATETIME(3) NOT NULL, PRIMARY KEY (campaign_id, seq)`;

const lifetime = new Lifetime();
const counts = (process.argv[2] ?? '10,100,400').split(',').map(Number);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Yesterday's day is the last but one of `partitions` days, so that new rows come where they come in service. */
async function createTable(connection, name, partitions) {
  await connection.query(`DROP TABLE IF EXISTS ${name}`);
  const days = Array.from(
    { length: partitions },
    (_, day) => `PARTITION d${day} VALUES LESS THAN (${(day + 1) * IDS_A_DAY})`,
  );
  const by = `PARTITION BY RANGE (campaign_id) (${[...days, 'PARTITION later VALUES LESS THAN MAXVALUE'].join(', ')})`;
  await connection.query(`CREATE TABLE ${name} (${COLUMNS}) ENGINE=InnoDB ${partitions > 0 ? by : ''}`);
}

const accept = (connection, table, id, numbers) =>
  timed(async () => {
    await connection.beginTransaction();
    await connection.query(
      `INSERT INTO ${table} (campaign_id, seq, receiver, status, attempts, updated_at)
       SELECT ?, j.seq, j.receiver, 0, 0, UTC_TIMESTAMP(3) FROM JSON_TABLE(?, '$[*]' COLUMNS (
         seq FOR ORDINALITY, receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$')) j`,
      [id, numbers],
    );
    await connection.commit();
  });

const writeBack = (connection, table, id, status, bound) =>
  timed(async () => {
    for (let first = 1; first <= RECIPIENTS; first += BATCH) {
      const rows = JSON.stringify(Array.from({ length: BATCH }, (_, index) => [id, first + index]));
      await connection.query(
        `UPDATE ${table} r JOIN JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
           ON r.campaign_id = j.campaign_id AND r.seq = j.seq
         SET r.status = ?, r.attempts = r.attempts + 1, r.updated_at = UTC_TIMESTAMP(3)
         ${bound ? 'WHERE r.campaign_id IN (?)' : ''}`,
        [rows, status, id],
      );
    }
  });

/** @returns [accept, write-back, write-back without the id] of a table with partitions, each against one without */
async function compare(connection, partitions) {
  await createTable(connection, 'plain_rows', 0);
  await createTable(connection, 'daily_rows', partitions);
  const numbers = JSON.stringify(Array.from({ length: RECIPIENTS }, (_, index) => `9198${10_000_000 + index}`));
  const times = { plain_rows: [[], [], []], daily_rows: [[], [], []] };
  for (let round = 0; round < ROUNDS; round++) {
    const id = Math.max(partitions - 2, 0) * IDS_A_DAY + round + 1;
    const order = round % 2 === 0 ? ['plain_rows', 'daily_rows'] : ['daily_rows', 'plain_rows'];
    for (const table of order) times[table][0].push(await accept(connection, table, id, numbers));
    for (const table of order) times[table][1].push(await writeBack(connection, table, id, 1, true));
    for (const table of order) times[table][2].push(await writeBack(connection, table, id, 2, false));
  }
  for (const table of Object.keys(times)) await connection.query(`DROP TABLE ${table}`);
  return times.daily_rows.map((measured, index) => median(measured) / median(times.plain_rows[index]));
}

try {
  const own = testEnvironment();
  const { DATABASE_URL } = await ensureServers(own, join(dataDirectory(own), 'bench'), (stop) => lifetime.onEnd(stop));
  const connection = await mysql.createConnection({ uri: DATABASE_URL });
  print('partitions  accept  write-back  write-back without the id');
  for (const partitions of counts) {
    const ratios = await compare(connection, partitions);
    print(`${String(partitions).padStart(10)}  ${ratios.map((ratio) => ratio.toFixed(2)).join('    ')}`);
  }
  await connection.end();
  await lifetime.end(0);
} catch (error) {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  await lifetime.end(1);
}
