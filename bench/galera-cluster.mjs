/** A Galera cluster of two nodes on 127.0.0.1, of the Debian packages mariadb-server, galera-4, rsync and lsof. */
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { serverUser } from '../scripts/lib/environment.mjs';
import { startDatabase } from '../scripts/lib/mariadb.mjs';
import { findProgram } from '../scripts/lib/packages.mjs';
import { isAlive, startServer, stopProcess } from '../scripts/lib/processes.mjs';
import { freePort } from './stage.mjs';

/** From one node to the other, as between two buildings: on one machine they would hardly ever meet. */
const LATENCY_MS = 5;
const STATE_MS = 120_000;
const packages = process.env.GALERA_ROOT ?? '';

/** One statement on a connection of its own. */
export const query = async (url, sql, values) => {
  const connection = await mysql.createConnection(url);
  try {
    return (await connection.query(sql, values))[0];
  } finally {
    await connection.end();
  }
};

/** A file of the unpacked packages, or of the installed ones. */
function installed(...paths) {
  const found = paths.map((path) => packages + path).find((path) => existsSync(path));
  if (!found) throw new Error(`${paths[0]} was not found: install the packages, or set GALERA_ROOT`);
  return found;
}

/** One node, once it is in step with the others. @param peers addresses of the group; '' starts a new cluster */
async function startNode(name, data, url, peers, { directory, onEnd }) {
  const [port, group, ist, sst] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const user = serverUser();
  const home = join(directory, name);
  mkdirSync(home, { recursive: true });
  if (user !== null) for (const path of [home, data]) chownSync(path, user.uid, user.gid);
  const args = [
    '--no-defaults',
    `--datadir=${data}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    `--socket=${join(home, 'sock')}`,
    `--pid-file=${join(home, 'pid')}`,
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_bin',
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--innodb-flush-log-at-trx-commit=2',
    '--max-connections=300',
    '--wsrep-on=ON',
    `--wsrep-provider=${installed('/usr/lib/galera/libgalera_smm.so', '/usr/lib/libgalera_smm.so')}`,
    '--wsrep-cluster-name=switchboard-bench',
    `--wsrep-cluster-address=gcomm://${peers}`,
    `--wsrep-node-name=${name}`,
    '--wsrep-node-address=127.0.0.1',
    `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${ist}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${sst}`,
    ...(peers === '' ? ['--wsrep-new-cluster'] : []),
  ];
  const path = [`${packages}/usr/bin`, `${packages}/usr/sbin`, process.env.PATH].join(':');
  const libraries = `${packages}/usr/lib/x86_64-linux-gnu:${packages}/usr/lib`;
  const log = join(home, 'log');
  const child = startServer({
    command: '/usr/bin/env',
    args: [
      `PATH=${path}`,
      ...(packages ? [`LD_LIBRARY_PATH=${libraries}`] : []),
      findProgram('mariadbd', 'mysqld'),
      ...args,
    ],
    cwd: home,
    log,
    user,
  });
  onEnd(() => stopProcess(child.pid, 60_000));
  const own = new URL(url);
  own.port = String(port);
  for (const until = Date.now() + STATE_MS; ; await sleep(200)) {
    const state = await query(own.href, "SHOW STATUS LIKE 'wsrep_local_state_comment'").catch(() => []);
    if (state[0]?.Value === 'Synced') return { url: own.href, group: `127.0.0.1:${group}` };
    if (!isAlive(child.pid) || Date.now() > until) {
      throw new Error(`node ${name} did not start:\n${readFileSync(log, 'utf8').split('\n').slice(-40).join('\n')}`);
    }
  }
}

/** A way to this address on which everything takes longer. */
async function slowWay(address) {
  const [host, port] = address.split(':');
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.setNoDelay(true);
      from.on('data', (chunk) => setTimeout(() => to.write(chunk), LATENCY_MS));
      from.on('error', () => from.destroy());
      from.on('close', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${server.address().port}`;
}

/**
 * Two nodes; the second copies the first.
 * @param {{ directory: string, onEnd: (stop: () => Promise<void>) => void }} home
 * @returns {Promise<string[]>} their URLs
 */
export async function startCluster(home) {
  const { directory } = home;
  const single = await startDatabase(findProgram('mariadbd', 'mysqld'), directory);
  await single.stop();
  const empty = join(directory, 'second');
  mkdirSync(empty, { mode: 0o700 });
  const first = await startNode('a', join(directory, 'mariadb/data'), single.url, '', home);
  const second = await startNode('b', empty, single.url, await slowWay(first.group), home);
  return [first.url, second.url];
}
