/** Redis in its two shapes of several machines, on 127.0.0.1: a cluster, and a master with sentinels. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUser } from '../../../scripts/lib/environment.mjs';
import { findProgram } from '../../../scripts/lib/packages.mjs';
import { ask, isAlive, startServer, stopProcess, waitForEnd } from '../../../scripts/lib/processes.mjs';
import { lastingPort } from '../../stage/ports.mjs';

/** a master that has not been heard for so long is replaced; docs/operate/cluster.md */
const SILENCE_MS = 5_000;
const UP_MS = 30_000;
const MASTERS = 3;
const SENTINELS = 3;
export const MASTER_NAME = 'switchboard';

/** Waits until it is so. */
async function until(isSo, what) {
  for (const end = Date.now() + UP_MS; !(await isSo()); await sleep(100)) {
    if (Date.now() > end) throw new Error(`${what} took longer than ${UP_MS / 1000} s`);
  }
}

/** One redis-server, or a sentinel, with a configuration of its own that it may write to. */
class Server {
  constructor(directory, name, port, password, lines, isSentinel = false) {
    Object.assign(this, { home: join(directory, `${name}-${port}`), port, password, isSentinel });
    mkdirSync(this.home, { recursive: true });
    this.file = join(this.home, 'redis.conf');
    const common = ['bind 127.0.0.1', `port ${port}`, `dir "${this.home}"`, `requirepass ${password}`];
    writeFileSync(this.file, `${[...common, ...lines].join('\n')}\n`);
    this.child = null;
  }

  /** Answers of commands as redis-cli prints them. */
  cli(...command) {
    const args = ['-h', '127.0.0.1', '-p', String(this.port), '--no-auth-warning', '-a', this.password, ...command];
    return execFileSync(findProgram('redis-cli'), args, { encoding: 'utf8' });
  }

  get isAlive() {
    return this.child !== null && isAlive(this.child.pid);
  }

  async start() {
    const user = serverUser();
    if (user !== null) for (const path of [this.home, this.file]) chownSync(path, user.uid, user.gid);
    this.child = startServer({
      command: findProgram('redis-server'),
      args: [this.file, ...(this.isSentinel ? ['--sentinel'] : [])],
      cwd: this.home,
      log: join(this.home, 'log'),
      user,
    });
    await until(
      async () => /\+PONG/.test(await ask(this.port, `AUTH ${this.password}\r\nPING\r\n`)),
      `Redis on port ${this.port}`,
    );
    return this;
  }

  /** Ends the server at once. */
  async kill() {
    process.kill(this.child.pid, 'SIGKILL');
    await waitForEnd(this.child.pid, 10_000);
  }

  stop() {
    return this.isAlive ? stopProcess(this.child.pid, 10_000) : Promise.resolve();
  }
}

/** As jobs want it: kept, never evicted; and as a member wants it: known to the others by the same password. */
const dataLines = (password) => [
  `masterauth ${password}`,
  'appendonly yes',
  'appendfsync everysec',
  'save ""',
  'maxmemory-policy noeviction',
  'repl-diskless-sync-delay 0',
];

/** A replica takes its master's place only with what the master had. */
const isInStep = (server) => !/master_link_status:down/.test(server.cli('INFO', 'replication'));
const isMaster = (server) => server.isAlive && /role:master/.test(server.cli('INFO', 'replication'));

/** What both shapes have in common. */
class Servers {
  constructor(servers, url) {
    this.servers = servers;
    this.url = url;
  }

  /** Those that are masters now. */
  get masters() {
    return this.servers.filter((server) => !server.isSentinel && isMaster(server));
  }

  /** Whoever was killed comes back. */
  async heal() {
    for (const server of this.servers) if (!server.isAlive) await server.start();
    await this.settled();
  }

  async stop() {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

class RedisCluster extends Servers {
  settled() {
    const isSo = (server) => /cluster_state:ok/.test(server.cli('CLUSTER', 'INFO')) && isInStep(server);
    return until(() => this.servers.every(isSo), 'the Redis cluster');
  }
}

class Sentinels extends Servers {
  settled() {
    const isSo = () =>
      this.masters.length === 1 &&
      this.servers.filter((server) => !server.isSentinel).every(isInStep) &&
      this.servers
        .filter(({ isSentinel }) => isSentinel)
        .every((server) => /status=ok,.*slaves=2,sentinels=3/.test(server.cli('INFO', 'sentinel')));
    return until(isSo, 'the sentinels');
  }
}

async function startAll(servers) {
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}

/** So many different ones. */
async function ports(count) {
  const found = new Set();
  while (found.size < count) found.add(await lastingPort());
  return [...found];
}

/**
 * Three masters, each with a replica. The gossip of a node has the port 10,000 above by default, which may be beyond
 * what there is: each has one of its own.
 */
export async function startRedisCluster(directory) {
  const password = randomBytes(12).toString('hex');
  const all = await ports(4 * MASTERS);
  const buses = all.splice(0, 2 * MASTERS);
  const servers = all.map(
    (port, index) =>
      new Server(directory, 'cluster', port, password, [
        ...dataLines(password),
        'cluster-enabled yes',
        `cluster-port ${buses[index]}`,
        `cluster-node-timeout ${SILENCE_MS}`,
      ]),
  );
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  const url = `redis+cluster://:${password}@${addresses.slice(0, MASTERS).join(',')}`;
  const cluster = new RedisCluster(servers, url);
  try {
    await startAll(servers);
    servers[0].cli('--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes');
    await cluster.settled();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** A master, two replicas, three sentinels of which two decide. */
export async function startSentinels(directory) {
  const password = randomBytes(12).toString('hex');
  const [master, ...replicas] = (await ports(MASTERS)).map(
    (port, index, all) =>
      new Server(directory, 'data', port, password, [
        ...dataLines(password),
        ...(index === 0 ? [] : [`replicaof 127.0.0.1 ${all[0]}`]),
      ]),
  );
  const sentinels = (await ports(SENTINELS)).map(
    (port) =>
      new Server(
        directory,
        'sentinel',
        port,
        password,
        [
          `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master.port} 2`,
          `sentinel auth-pass ${MASTER_NAME} ${password}`,
          `sentinel sentinel-pass ${password}`,
          `sentinel down-after-milliseconds ${MASTER_NAME} ${SILENCE_MS}`,
          `sentinel failover-timeout ${MASTER_NAME} 10000`,
        ],
        true,
      ),
  );
  const addresses = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const url = `redis+sentinel://:${password}@${addresses}/${MASTER_NAME}?sentinel_password=${password}`;
  const all = new Sentinels([master, ...replicas, ...sentinels], url);
  try {
    await startAll([master, ...replicas]);
    await startAll(sentinels);
    await all.settled();
  } catch (error) {
    await all.stop();
    throw error;
  }
  return all;
}
