/** A Galera cluster of three nodes on 127.0.0.1, of the Debian packages mariadb-server, galera-4, rsync and lsof. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serverUser } from '../../../scripts/lib/environment.mjs';
import { startDatabase } from '../../../scripts/lib/mariadb.mjs';
import { findProgram } from '../../../scripts/lib/packages.mjs';
import { lastingPort } from '../../stage/ports.mjs';
import { Way } from '../../stage/way.mjs';
import { atPort, CHECK_USER, Cluster, Node, NODES, queryOnce } from './cluster.mjs';

const PROVIDERS = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib/libgalera_smm.so'];
const findServer = () => findProgram('mariadbd', 'mysqld');

/** True when MariaDB can be a node here. */
export const hasGalera = () =>
  PROVIDERS.some((path) => existsSync(path)) && findProgram('rsync') !== null && findProgram('lsof') !== null;

class GaleraNode extends Node {
  #args(peers, [ist, sst]) {
    return [
      ...this.commonArgs,
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
    const { stderr, stdout } = spawnSync(findServer(), args, { cwd: this.data, encoding: 'utf8', ...(user ?? {}) });
    const found = /Recovered position:\s*(\S+:\d+)/.exec(`${stderr}${stdout}`);
    return found === null ? [] : [`--wsrep-start-position=${found[1]}`];
  }

  async isSynced() {
    const [state] = await queryOnce(this.url, "SHOW STATUS LIKE 'wsrep_local_state_comment'");
    return state?.Value === 'Synced';
  }

  /** Starts the server and waits until it is in step. @param {string[]} peers group addresses; none begins a new cluster */
  async start(peers) {
    const user = serverUser();
    this.prepare(user);
    const args = [...this.#args(peers, [await lastingPort(), await lastingPort()]), ...this.#position(user)];
    await this.launch(findServer(), args, () => this.isSynced());
  }
}

/** Every node writes; `nodes[0]` is the one that the proxy prefers. */
class Galera extends Cluster {
  causal = 'SET wsrep_sync_wait = 1';
  stopApplying = 'FLUSH TABLES WITH READ LOCK';
  proxy = { file: 'haproxy.cfg', prefix: 'GALERA' };
  #latencyMs;
  #ways = new Map();

  constructor(nodes, latencyMs) {
    super(nodes);
    this.#latencyMs = latencyMs;
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

  /** Brings a node that has ended back: it copies what it missed from one of the others. */
  async restart(node) {
    await node.start(await this.#peersOf(node));
  }

  /** Whether all count this node in: the node itself may not know yet that it was left out. */
  async isInStep(node) {
    const asked = this.nodes.filter(({ isAlive, isFrozen }) => isAlive && !isFrozen);
    const sizes = await Promise.all(asked.map(({ url }) => queryOnce(url, "SHOW STATUS LIKE 'wsrep_cluster_size'")));
    return sizes.every(([{ Value: size }]) => Number(size) === asked.length) && node.isSynced();
  }

  writer() {
    return this.nodes.find(({ isAlive, isFrozen }) => isAlive && !isFrozen);
  }

  /** Any node writes already. */
  promote() {}

  /** Nodes answer reads with what they have at the moment, until what is returned is called. */
  async readEarly() {
    const set = async (value) => {
      for (const { url } of this.nodes) await queryOnce(url, `SET GLOBAL wsrep_sync_wait = ${value}`);
    };
    await set(0);
    return () => set(1);
  }

  async stop() {
    await super.stop();
    await Promise.all([...this.#ways.values()].map((way) => way.close()));
  }
}

/**
 * Three nodes: the first is made of an empty directory, the others copy it (rsync SST).
 * @param {string} directory of their own
 * @param {{ latencyMs?: number }} [options] latencyMs: how long everything takes from one node to another
 */
export async function startGalera(directory, { latencyMs = 0 } = {}) {
  const single = await startDatabase(findServer(), directory, {
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
    const data = name === NODES[0] ? join(directory, 'mariadb/data') : join(home, 'data');
    const group = `127.0.0.1:${await lastingPort()}`;
    nodes.push(new GaleraNode({ name, home, data, port, url: atPort(single.url, port), group }));
  }
  const galera = new Galera(nodes, latencyMs);
  try {
    return await galera.start();
  } catch (error) {
    await galera.stop();
    throw error;
  }
}
