/**
 * `node bench/galera.mjs`: what two APIs do that write to two nodes of one Galera cluster. Parallel `retry-failed` calls
 * must make one child a campaign; receipts of messages of two items, one item a node, must leave no recipient SUBMITTED.
 *
 * Wants the programs of mariadb-server, galera-4, rsync and lsof (Debian packages; no system service needs to run), and a
 * Redis. `GALERA_ROOT` names a directory into which those packages were unpacked, where they are not installed. Everything
 * it starts listens on 127.0.0.1 and lives in a directory that it removes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { ensureBuilt } from '../scripts/lib/build.mjs';
import { ensureSecrets, ROOT, testEnvironment } from '../scripts/lib/environment.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { Lifetime } from '../scripts/lib/lifetime.mjs';
import { findProgram } from '../scripts/lib/packages.mjs';
import { print } from '../scripts/lib/progress.mjs';
import { startRedis } from '../scripts/lib/redis.mjs';
import { query, startCluster } from './galera-cluster.mjs';
import { benchAccount, contacts, freePort, PASSWORD, signIn } from './stage.mjs';

const PARENTS = 50;
const RECIPIENTS_A_PARENT = 10;
const RECIPIENTS = 150;
const RECIPIENTS_AT_ONCE = 10;
/** Numbers of recipient statuses, as stored. */
const SUBMITTED = 1;
const FAILED = 4;

const lifetime = new Lifetime();
const directory = mkdtempSync(join(tmpdir(), 'switchboard-galera-'));
chmodSync(directory, 0o755);
lifetime.onEnd(async () => rmSync(directory, { recursive: true, force: true }));

async function run(script, environment) {
  const child = spawn(process.execPath, [script], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { child, ended: once(child, 'exit') };
}

async function startApi(environment) {
  const port = await freePort();
  const { child, ended } = await run('dist/src/apps/api/main.js', { ...environment, PORT: String(port) });
  lifetime.onEnd(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`an API ended with ${child.exitCode}`);
    await sleep(100);
  }
  return url;
}

/** What was written on one node comes to the other a little later. */
async function reached(url, sql, found) {
  while (Number((await query(url, sql))[0].found) < found) await sleep(50);
}

/** A campaign as it stands after its last window, written by SQL. */
async function storeCampaign(database, { id, accountId, routeId, channel, balance, status, total }) {
  await database.query(
    `INSERT INTO campaigns (id, account_id, request_id, channel, state, broadcast_name, service, route_id, content, balance,
       unit_credits, total_rows, open_lanes, refunded_credits, created_at)
     VALUES (?, ?, ?, ?, 'running', 'bench', 'bench', ?, '{"message":"Hello"}', ?, 1, ?, ?, 0, UTC_TIMESTAMP(3))`,
    [id, accountId, `GALERA_${id}`, channel, routeId, balance, total, status === FAILED ? 0 : 1],
  );
  await database.query(
    `INSERT INTO campaign_recipients (campaign_id, seq, receiver, status, attempts, updated_at)
     VALUES ${contacts(total)
       .map(() => '(?,?,?,?,1,UTC_TIMESTAMP(3))')
       .join(',')}`,
    contacts(total).flatMap((receiver, index) => [id, index + 1, receiver, status]),
  );
  await database.query(
    'INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled) VALUES (?, 0, ?, ?, ?)',
    [id, status, total, status === FAILED ? 0 : total],
  );
  return `GALERA_${id}`;
}

/** Two calls a campaign at the same moment, one a node. @returns how many children there are */
async function retryFailed(database, urls, clients, accountId, routeId) {
  const parents = [];
  for (let id = 1; id <= PARENTS; id++) {
    const total = RECIPIENTS_A_PARENT;
    parents.push(
      await storeCampaign(database, {
        id,
        accountId,
        routeId,
        channel: 'sms',
        balance: 'gsm_credits',
        status: FAILED,
        total,
      }),
    );
  }
  await reached(urls[1], 'SELECT COUNT(*) AS found FROM campaign_counters', PARENTS);
  const answers = [];
  for (const parent of parents) {
    const call = (client) =>
      client.call('POST', `/v6/api/campaigns/${parent}/retry-failed`, {}).catch((error) => error);
    answers.push(...(await Promise.all(clients.map(call))));
  }
  const strange = answers.filter((answer) => answer instanceof Error && !/: 409 /.test(answer.message));
  for (const { message } of strange.slice(0, 3)) print(`  unexpected: ${message}`);
  const [row] = (await database.query('SELECT COUNT(*) AS children FROM campaigns WHERE retry_of IS NOT NULL'))[0];
  return Number(row.children);
}

/** Two items a recipient; the receipt of the one to this node, of the other to that one, at the same moment. */
async function itemReceipts(database, urls, apis, accountId, route) {
  const id = 1_000_000;
  const balance = 'bulk_chat_credits';
  const total = RECIPIENTS;
  await storeCampaign(database, {
    id,
    accountId,
    routeId: route.id,
    channel: 'unofficial',
    balance,
    status: SUBMITTED,
    total,
  });
  const items = Array.from({ length: total }, (_, index) => [0, 1].map((item) => [id, index + 1, item])).flat();
  await database.query(
    `INSERT INTO provider_messages (campaign_id, seq, item, route_id, provider_message_id, items, status)
     VALUES ${items.map(() => '(?,?,?,?,?,2,?)').join(',')}`,
    items.flatMap(([campaign, seq, item]) => [campaign, seq, item, route.id, `m-${seq}-${item}`, SUBMITTED]),
  );
  await reached(urls[1], 'SELECT COUNT(*) AS found FROM provider_messages', items.length);
  const tell = async (node, seqs) => {
    const response = await fetch(`${apis[node]}/provider/unofficial/${route.name}/${route.secret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(seqs.map((seq) => ({ id: `m-${seq}-${node}`, status: 'delivered' }))),
    });
    if (!response.ok) print(`  unexpected: ${response.status} ${await response.text()}`);
  };
  for (let from = 1; from <= total; from += RECIPIENTS_AT_ONCE) {
    const seqs = Array.from({ length: RECIPIENTS_AT_ONCE }, (_, index) => from + index);
    await Promise.all(apis.map((_, node) => tell(node, seqs)));
  }
  await sleep(1_000); // what the other node has committed arrives here a moment later
  const [rows] = await database.query(
    'SELECT COUNT(*) AS stuck FROM campaign_recipients WHERE campaign_id = ? AND status = ?',
    [id, SUBMITTED],
  );
  return Number(rows[0].stuck);
}

try {
  await ensureInstalled();
  await ensureBuilt();
  const urls = await startCluster({ directory, onEnd: (stop) => lifetime.onEnd(stop) });
  const redis = await startRedis(findProgram('redis-server', 'valkey-server'), directory);
  lifetime.onEnd(redis.stop);
  const own = {
    ...ensureSecrets(testEnvironment(), directory),
    REDIS_URL: redis.url,
    NODE_ENV: 'development',
    DATA_DIR: directory,
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'info',
    USER_RATE_LIMIT: '0',
    BROADCAST_RATE_LIMIT: '0',
  };
  const prepared = await run('dist/src/apps/api/prepare.js', { ...own, DATABASE_URL: urls[0] });
  if ((await prepared.ended)[0] !== 0) throw new Error('the database could not be prepared');
  const apis = [];
  for (const url of urls) apis.push(await startApi({ ...own, DATABASE_URL: url }));
  const { admin } = await benchAccount(apis[0]);
  const route = { name: 'galera', channel: 'unofficial', driver: 'http', config: { url: 'http://127.0.0.1:9/' } };
  await admin.call('PUT', '/v6/api/admin/routes/galera', route);
  await admin.call('PUT', '/v6/api/admin/routes/bench', {
    channel: 'sms',
    driver: 'http',
    config: { url: 'http://127.0.0.1:9/' },
    is_default: true,
  });
  const database = await mysql.createConnection(urls[0]);
  lifetime.onEnd(() => database.end());
  const [accounts] = await database.query("SELECT id FROM accounts WHERE username = 'bench'");
  const [routes] = await database.query('SELECT id, name, callback_secret AS secret FROM routes');
  const clients = await Promise.all(apis.map((url) => signIn(url, 'bench')));
  const named = (name) => routes.find((row) => row.name === name);
  const children = await retryFailed(database, urls, clients, accounts[0].id, named('bench').id);
  print(`retry-failed: ${2 * PARENTS} parallel calls for ${PARENTS} campaigns over two nodes: ${children} children`);
  const stuck = await itemReceipts(database, urls, apis, accounts[0].id, named('galera'));
  print(`receipts of two items on two nodes: ${stuck} of ${RECIPIENTS} recipients left SUBMITTED`);
  await lifetime.end(children === PARENTS && stuck === 0 ? 0 : 1);
} catch (error) {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  await lifetime.end(1);
}
