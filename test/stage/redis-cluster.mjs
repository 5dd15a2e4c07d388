/** Redis Cluster and Redis with Sentinel on loopback ports, of a test's own. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverUser } from '../../scripts/lib/environment.mjs';
import { findProgram } from '../../scripts/lib/packages.mjs';
import { isAlive } from '../../scripts/lib/processes.mjs';
import { freePorts, PASSWORD, RedisNode, until } from './redis-node.mjs';
import { ensurePrograms } from './servers.mjs';

/** Slots of a cluster. */
const SLOTS = 16_384;

/** What both kinds have: nodes, and an end. */
class RedisNodes {
  constructor(directory, isOwn, nodes) {
    this.directory = directory;
    this.isOwn = isOwn;
    this.nodes = nodes;
  }

  node(port) {
    return this.nodes.find((node) => node.port === Number(port));
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => isAlive(node.pid) && node.kill()));
    if (this.isOwn) rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Nodes of a cluster. */
export class RedisCluster extends RedisNodes {
  /** @param {string} parameters of the URL, such as `tls` */
  url(parameters = '') {
    const hosts = this.nodes.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`);
    return `redis+cluster://:${PASSWORD}@${hosts}${parameters && `?${parameters}`}`;
  }

  /** The node that answers for a key now, as the cluster's living nodes say. */
  async masterOf(key) {
    return until(`a master of ${key}`, async () => {
      for (const node of this.nodes.filter(({ pid }) => isAlive(pid))) {
        const slot = await node.ask('CLUSTER', 'KEYSLOT', key).catch(() => null);
        if (slot === null) continue;
        const ranges = await node.ask('CLUSTER', 'SLOTS');
        const range = ranges.find(([from, to]) => from <= slot && slot <= to);
        const master = range && this.node(range[2][1]);
        if (master && isAlive(master.pid)) return master;
      }
      return null;
    });
  }

  /** Waits until every master that lives has a replica that is up to date: it may be killed. */
  async followed() {
    await until('a replica of each master', async () => {
      const roles = await Promise.all(this.nodes.map((node) => node.ask('ROLE')));
      return roles.every(([role, , more, state]) => (role === 'master' ? more.length > 0 : state === 'connected'));
    });
    await this.healed();
  }

  /** Waits until all that live agree that every slot has a master. */
  async healed() {
    const living = this.nodes.filter(({ pid }) => isAlive(pid));
    await until('a cluster without faults', async () => {
      const states = await Promise.all(living.map((node) => node.ask('CLUSTER', 'INFO')));
      return states.every((state) => /cluster_state:ok/.test(state));
    });
  }
}

/** A master with replicas, and sentinels that watch it. */
export class RedisSentinel extends RedisNodes {
  constructor(directory, isOwn, servers, sentinels) {
    super(directory, isOwn, [...servers, ...sentinels]);
    this.servers = servers;
    this.sentinels = sentinels;
  }

  /** @param {string} parameters of the URL, such as `tls` */
  url(parameters = '') {
    const hosts = this.sentinels.map(({ port }) => `127.0.0.1:${port}`);
    return `redis+sentinel://:${PASSWORD}@${hosts}/main?sentinel_password=${PASSWORD}${parameters && `&${parameters}`}`;
  }

  /** The master, as a sentinel says. */
  async master() {
    return until('a master', async () => {
      for (const sentinel of this.sentinels.filter(({ pid }) => isAlive(pid))) {
        const [, port] = await sentinel.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main');
        const node = this.node(port);
        if (isAlive(node.pid) && (await node.ask('ROLE'))[0] === 'master') return node;
      }
      return null;
    });
  }
}

const SERVER = ['appendonly yes', 'appendfsync everysec', 'save ""', `masterauth ${PASSWORD}`, 'repl-diskless-sync-delay 0']; // prettier-ignore

const followed = async (replicas) =>
  (await Promise.all(replicas.map((node) => node.ask('ROLE')))).every(([, , , state]) => state === 'connected');

async function prepare(directory) {
  const program = findProgram('redis-server', 'valkey-server');
  if (program === null) await ensurePrograms(['redis-server'], [['redis-server', 'valkey-server']]);
  const isOwn = directory === undefined;
  const home = directory ?? mkdtempSync(join(tmpdir(), 'redis-nodes-'));
  const user = serverUser();
  if (user !== null && isOwn) chownSync(home, user.uid, user.gid);
  return { program: program ?? findProgram('redis-server', 'valkey-server'), home, isOwn };
}

/**
 * Starts a Redis Cluster.
 * @param {{ masters?: number, replicas?: number, nodeTimeoutMs?: number, directory?: string, tls?: { cert: string, key: string } }} what
 * replicas: of each master
 */
export async function startRedisCluster({ masters = 3, replicas = 0, nodeTimeoutMs = 2_000, directory, tls } = {}) {
  const { program, home, isOwn } = await prepare(directory);
  const ports = await freePorts(masters * (1 + replicas));
  const settings = [
    ...SERVER,
    'cluster-enabled yes',
    `cluster-node-timeout ${nodeTimeoutMs}`,
    'cluster-replica-validity-factor 0',
  ];
  const nodes = ports.map((port) => new RedisNode(program, join(home, `node-${port}`), port, settings, { tls }));
  const cluster = new RedisCluster(home, isOwn, nodes);
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await Promise.all(
      nodes.slice(0, masters).map((node, index) => {
        const [from, to] = [index, index + 1].map((share) => Math.round((share * SLOTS) / masters));
        return node.tell('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
      }),
    );
    // Epochs of their own, so that they need not agree on them first.
    await Promise.all(nodes.map((node, index) => node.tell('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)));
    for (const { port } of nodes.slice(1)) await nodes[0].tell('CLUSTER', 'MEET', '127.0.0.1', port);
    for (const [index, node] of nodes.slice(masters).entries()) {
      const id = await nodes[index % masters].tell('CLUSTER', 'MYID');
      await until(`a replica on port ${node.port}`, async () => (await node.ask('CLUSTER', 'REPLICATE', id)) === 'OK');
    }
    await cluster.healed();
    await until('replicas that follow', () => followed(nodes.slice(masters)));
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/**
 * Starts a master with replicas, and sentinels, who fail over again after twice `downAfterMs` at the soonest.
 * @param {{ replicas?: number, sentinels?: number, downAfterMs?: number, directory?: string, tls?: { cert: string, key: string } }} what
 */
export async function startRedisSentinel({ replicas = 1, sentinels = 3, downAfterMs = 2_000, directory, tls } = {}) {
  const { program, home, isOwn } = await prepare(directory);
  const [masterPort, ...ports] = await freePorts(1 + replicas + sentinels);
  const node = (port, settings, options) =>
    new RedisNode(program, join(home, `node-${port}`), port, settings, { tls, ...options });
  const master = node(masterPort, SERVER);
  const followers = ports
    .slice(0, replicas)
    .map((port) => node(port, [...SERVER, `replicaof 127.0.0.1 ${masterPort}`]));
  const watching = [
    `sentinel monitor main 127.0.0.1 ${masterPort} ${Math.floor(sentinels / 2) + 1}`,
    `sentinel auth-pass main ${PASSWORD}`,
    `sentinel sentinel-pass ${PASSWORD}`,
    `sentinel down-after-milliseconds main ${downAfterMs}`,
    `sentinel failover-timeout main ${downAfterMs}`,
    ...(tls ? ['tls-replication yes'] : []),
  ];
  const watchers = ports.slice(replicas).map((port) => node(port, watching, { isSentinel: true }));
  const stage = new RedisSentinel(home, isOwn, [master, ...followers], watchers);
  try {
    await Promise.all([master, ...followers].map((one) => one.start()));
    // Sentinels ask for replicas every ten seconds.
    await until('replicas that follow', () => followed(followers));
    await Promise.all(watchers.map((one) => one.start()));
    await until('sentinels that know the others', async () => {
      const known = await Promise.all(watchers.map((one) => one.ask('SENTINEL', 'MASTER', 'main')));
      return known.every((fields) => {
        const field = (name) => Number(fields[fields.indexOf(name) + 1]);
        return field('num-slaves') === replicas && field('num-other-sentinels') === sentinels - 1;
      });
    });
    return stage;
  } catch (error) {
    await stage.stop();
    throw error;
  }
}

/** One server. @param {{ tls?: { cert: string, key: string } }} what tls: files; the certificate is its own authority */
/** @param {{ tls?: { cert: string, key: string }, settings?: string[] }} what */
export async function startRedisNode({ tls, settings = [] } = {}) {
  const { program, home, isOwn } = await prepare();
  const [port] = await freePorts(1);
  const node = new RedisNode(program, join(home, 'node'), port, [...SERVER, ...settings], { tls });
  const nodes = new RedisNodes(home, isOwn, [node]);
  await node.start();
  return { url: `${tls ? 'rediss' : 'redis'}://:${PASSWORD}@localhost:${port}`, node, stop: () => nodes.stop() };
}
