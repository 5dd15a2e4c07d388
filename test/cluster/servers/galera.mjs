/** A Galera cluster of three nodes on 127.0.0.1, of the Debian packages mariadb-server, galera-4, rsync and lsof. */
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { serverUser } from '../../../scripts/lib/environment.mjs';
import { startDatabase } from '../../../scripts/lib/mariadb.mjs';
import { findProgram } from '../../../scripts/lib/packages.mjs';
import { isAlive, startServer, stopProcess, waitForEnd } from '../../../scripts/lib/processes.mjs';
import { lastingPort } from '../../stage/ports.mjs';
import { Way } from '../../stage/way.mjs';

export const NODES = ['a', 'b', 'c'];
const STATE_MS = 120_000;
const PROVIDERS = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib/libgalera_smm.so'];
/** the user by whom the proxy asks a node for its state: it may log in, and nothing else */
const CHECK_USER = 'haproxy';

/** True when MariaDB can be a node here. */
export const hasGalera = () =>
  PROVIDERS.some((path) => existsSync(path)) && findProgram('rsync') !== null && findProgram('lsof') !== null;

/** One statement on a connection of its own. */
export async function queryOnce(url, sql, values) {
  const connection = await mysql.createConnection(url);
  try {
    return (await connection.query(sql, values))[0];
  } finally {
    await connection.end();
  }
}

const lastLines = (log) => readFileSync(log, 'utf8').split('\n').slice(-40).join('\n');

/** One member of the cluster: a server with ports and data of its own, that can be killed and comes back. */
class Node {
  /** @param {{ name: string, home: string, data: string, port: number, group: string, url: string }} own */
  constructor(own) {
    Object.assign(this, own);
    this.child = null;
  }

  get pid() {
    return this.child.pid;
  }

  get isAlive() {
    return this.child !== null && isAlive(this.child.pid);
  }

  #args(peers, [ist, sst]) {
    return [
      '--no-defaults',
      `--datadir=${this.data}`,
      `--tmpdir=${join(this.home, 'tmp')}`,
      `--port=${this.port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--socket=server.sock',
      `--pid-file=${join(this.home, 'pid')}`,
      '--character-set-server=utf8mb4',
      '--collation-server=utf8mb4_bin',
      '--max-connections=300',
      '--max-allowed-packet=256M',
      '--innodb-buffer-pool-size=256M',
      '--innodb-log-file-size=256M',
      // docs/operate/cluster.md says why; the other nodes hold what one has not yet on its disk
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--innodb-flush-log-at-trx-commit=2',
      '--wsrep-on=ON',
      '--wsrep-slave-threads=4',
      `--wsrep-sync-wait=${process.env.CLUSTER_SYNC_WAIT ?? 1}`,
      `--wsrep-provider=${PROVIDERS.find((path) => existsSync(path))}`,
      '--wsrep-cluster-name=switchboard-test',
      `--wsrep-cluster-address=gcomm://${peers.join(',')}`,
      `--wsrep-node-name=${this.name}`,
      '--wsrep-node-address=127.0.0.1',
      `--wsrep-provider-options=${[
        `gmcast.listen_addr=tcp://${this.group}`,
        `ist.recv_addr=127.0.0.1:${ist}`,
        'gcache.size=256M',
      ].join(';')}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${sst}`,
      ...(peers.length === 0 ? ['--wsrep-new-cluster'] : []),
    ];
  }

  /** Up to where a node that was killed has everything, so that it fetches what it missed and not all (as systemd's unit asks). */
  #position(user) {
    if (!existsSync(join(this.data, 'grastate.dat'))) return [];
    const args = ['--no-defaults', `--datadir=${this.data}`, '--wsrep-on=ON', '--wsrep-recover', '--skip-networking'];
    const options = { cwd: this.data, encoding: 'utf8', ...(user ?? {}) };
    const { stderr, stdout } = spawnSync(findProgram('mariadbd', 'mysqld'), args, options);
    const found = /Recovered position:\s*(\S+:\d+)/.exec(`${stderr}${stdout}`);
    return found === null ? [] : [`--wsrep-start-position=${found[1]}`];
  }

  /** Starts the server and waits until it is in step. @param {string[]} peers group addresses; none begins a new cluster */
  async start(peers) {
    const user = serverUser();
    for (const path of [this.home, this.data, join(this.home, 'tmp')]) {
      mkdirSync(path, { recursive: true });
      if (user !== null) chownSync(path, user.uid, user.gid);
    }
    const log = join(this.home, 'log');
    const args = [...this.#args(peers, [await lastingPort(), await lastingPort()]), ...this.#position(user)];
    this.child = startServer({ command: findProgram('mariadbd', 'mysqld'), args, cwd: this.home, log, user });
    for (const until = Date.now() + STATE_MS; ; await sleep(100)) {
      const [state] = await queryOnce(this.url, "SHOW STATUS LIKE 'wsrep_local_state_comment'").catch(() => []);
      if (state?.Value === 'Synced') return;
      if (!this.isAlive || Date.now() > until) {
        throw new Error(`node ${this.name} did not start:\n${lastLines(log)}`);
      }
    }
  }

  /** Ends the server at once, as a machine that loses its power. */
  async kill() {
    process.kill(this.pid, 'SIGKILL');
    await waitForEnd(this.pid, 10_000);
  }

  stop() {
    return this.isAlive ? stopProcess(this.pid, 60_000) : Promise.resolve();
  }
}

/** The cluster. `nodes[0]` is the one that a proxy prefers as its writer. */
class Galera {
  #latencyMs;
  #ways = new Map();

  constructor(nodes, latencyMs) {
    this.nodes = nodes;
    this.#latencyMs = latencyMs;
  }

  /** The nodes begin one after another: the first is the cluster, each further one copies it. */
  async start() {
    for (const node of this.nodes) await this.restart(node);
    return this;
  }

  /** Group addresses of those who live, as a node reaches them that comes now. */
  async #peersOf(node) {
    const others = this.nodes.filter((other) => other !== node && other.isAlive).map(({ group }) => group);
    return this.#latencyMs === 0 ? others : Promise.all(others.map((group) => this.#slowWay(group)));
  }

  /** A way to this address on which everything takes longer, as between two buildings. */
  async #slowWay(group) {
    if (!this.#ways.has(group)) {
      const way = await Way.open({ port: Number(group.split(':')[1]) });
      way.delay(this.#latencyMs);
      this.#ways.set(group, way);
    }
    return `127.0.0.1:${this.#ways.get(group).port}`;
  }

  /** Brings a node that was killed back: it copies what it missed from one of the others. */
  async restart(node) {
    await node.start(await this.#peersOf(node));
  }

  /** Every node lives and is in step, however the last row left them. */
  async heal() {
    for (const node of this.nodes) if (!node.isAlive) await this.restart(node);
  }

  /** A database that every node has. @returns the URLs in the order of the nodes */
  async createDatabase(name) {
    await queryOnce(this.nodes[0].url, `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    return this.nodes.map(({ url }) => databaseUrl(url, name));
  }

  dropDatabase(name) {
    return queryOnce(this.nodes[0].url, `DROP DATABASE ${name}`);
  }

  async stop() {
    // all at once, and killed if need be: nothing of this cluster is kept
    await Promise.all(this.nodes.map((node) => node.stop()));
    await Promise.all([...this.#ways.values()].map((way) => way.close()));
  }
}

/** The same server, another database. */
export function databaseUrl(url, name) {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/**
 * Three nodes: the first is made of an empty directory, the others copy it (rsync SST).
 * @param {string} directory of their own
 * @param {{ latencyMs?: number }} [options] latencyMs: how long everything takes from one node to another
 */
export async function startGalera(directory, { latencyMs = 0 } = {}) {
  const single = await startDatabase(findProgram('mariadbd', 'mysqld'), directory, {
    measured: true,
    statements: [
      `CREATE USER IF NOT EXISTS '${CHECK_USER}'@'127.0.0.1';`,
      // a row may make a node lag behind
      `GRANT RELOAD ON *.* TO 'switchboard'@'127.0.0.1';`,
    ],
  });
  await single.stop();
  const nodes = [];
  for (const name of NODES) {
    const home = join(directory, name);
    const port = await lastingPort();
    const url = new URL(single.url);
    url.port = String(port);
    const data = name === NODES[0] ? join(directory, 'mariadb/data') : join(home, 'data');
    nodes.push(new Node({ name, home, data, port, url: url.href, group: `127.0.0.1:${await lastingPort()}` }));
  }
  const galera = new Galera(nodes, latencyMs);
  try {
    return await galera.start();
  } catch (error) {
    await galera.stop();
    throw error;
  }
}
