/** What a row may need, started when the first row needs it and kept for the next ones. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallPackages, findProgram, installPackages } from '../../../scripts/lib/packages.mjs';
import { Explained } from '../../../scripts/lib/progress.mjs';
import { privateDatabase, privateRedis } from '../../stage/servers.mjs';
import { databaseUrl, queryOnce } from './cluster.mjs';
import { hasGalera, startGalera } from './galera.mjs';
import { startGroupReplication } from './group-replication.mjs';
import { startHaproxy } from './haproxy.mjs';
import { startRedisCluster, startSentinels } from './redis-servers.mjs';

/** between the nodes of `galera-distant`: on one machine two nodes would hardly ever write at the same moment */
const LATENCY_MS = 5;

/** Nodes and the proxy before them. @param starting the cluster */
async function withProxy(directory, starting) {
  const cluster = await starting;
  try {
    const proxy = await startHaproxy(cluster.nodes, cluster.proxy, directory);
    return {
      cluster,
      proxy,
      heal: () => cluster.heal(),
      stop: async () => {
        await proxy.stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** One server behind the same two questions as the others. */
const alone = async (server) => ({
  server,
  heal: async () => {
    if (!server.isAlive) await server.start();
  },
  stop: () => server.stop(),
});

const hasProxy = () => findProgram('haproxy') !== null;
const GALERA_PACKAGES = [['mariadb-server'], ['galera-4'], ['rsync'], ['lsof'], ['haproxy']];
const REDIS_PACKAGES = [['redis-server']];
const hasRedis = () => findProgram('redis-server') !== null && findProgram('redis-cli') !== null;

/** name: how it starts in a directory of its own, the Debian packages it is made of, and whether they are here */
const NEEDS = {
  single: {
    start: async (directory) => alone(await privateDatabase(directory)),
    packages: [['mariadb-server-core']],
    isHere: () => findProgram('mariadbd', 'mysqld') !== null,
  },
  galera: {
    start: (directory) => withProxy(directory, startGalera(directory)),
    packages: GALERA_PACKAGES,
    isHere: () => hasGalera() && hasProxy(),
  },
  'galera-distant': {
    start: (directory) => withProxy(directory, startGalera(directory, { latencyMs: LATENCY_MS })),
    packages: GALERA_PACKAGES,
    isHere: () => hasGalera() && hasProxy(),
  },
  'group-replication': {
    start: (directory) => withProxy(directory, startGroupReplication(directory)),
    packages: [['haproxy']], // a MySQL that is missing is fetched when it is started
    isHere: hasProxy,
  },
  redis: {
    start: async (directory) => alone(await privateRedis(directory)),
    packages: REDIS_PACKAGES,
    isHere: hasRedis,
  },
  'redis-cluster': { start: startRedisCluster, packages: REDIS_PACKAGES, isHere: hasRedis },
  sentinel: { start: startSentinels, packages: REDIS_PACKAGES, isHere: hasRedis },
};
const DATABASES = ['single', 'galera', 'galera-distant', 'group-replication'];
const REDISES = ['redis', 'redis-cluster', 'sentinel'];

/** What `cluster` is: three nodes behind a proxy, of which one writes. */
const CLUSTERS = { mariadb: 'galera', mysql: 'group-replication' };

/**
 * What a row stands on: what it names, and one database and one Redis where it names none.
 * @param {'mariadb' | 'mysql'} kind of its `cluster`
 */
export function needsOf(row, kind) {
  const { name } = row;
  const needs = row.needs.map((need) => (need === 'cluster' ? CLUSTERS[kind] : need));
  const unknown = needs.filter((need) => !(need in NEEDS));
  if (unknown.length > 0)
    throw new Error(`Row ${name} needs ${unknown.join(', ')}; there is ${Object.keys(NEEDS).join(', ')}`);
  const one = (kinds) => {
    const named = needs.filter((need) => kinds.includes(need));
    if (named.length > 1) throw new Error(`Row ${name} can have one of ${named.join(', ')}`);
    return named[0] ?? kinds[0];
  };
  return { database: one(DATABASES), redis: one(REDISES) };
}

/** The servers of a run. */
export class Servers {
  #running = new Map();

  constructor(directory) {
    this.directory = directory;
  }

  async #get(need) {
    if (!this.#running.has(need)) {
      const { start, packages, isHere } = NEEDS[need];
      if (!isHere() && !(canInstallPackages() && (await installPackages(packages)))) {
        throw new Explained(`Not found: ${packages.flat().join(', ')}. Install these packages (Debian, Ubuntu)`);
      }
      const directory = join(this.directory, need);
      mkdirSync(directory, { recursive: true });
      this.#running.set(need, await start(directory));
    }
    return this.#running.get(need);
  }

  /** Servers for a row: a database of this name on each node, and a Redis. */
  async take(needs, name) {
    const database = await this.#get(needs.database);
    const redis = await this.#get(needs.redis);
    const writer = async () => (await database.cluster?.writer())?.url ?? database.server.url;
    await queryOnce(await writer(), `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    const urls = database.proxy ?? { writer: database.server.url, reader: database.server.url };
    return {
      cluster: database.cluster ?? null,
      single: database.server ?? null,
      redis: redis.server ?? redis,
      databaseUrl: databaseUrl(urls.writer, name),
      readUrl: databaseUrl(urls.reader, name),
      nodeUrls: (database.cluster?.nodes ?? []).map(({ url }) => databaseUrl(url, name)),
      /** whatever the row did to them */
      giveBack: async () => {
        await database.heal();
        await redis.heal();
        await queryOnce(await writer(), `DROP DATABASE ${name}`);
      },
    };
  }

  /** Ends those that no row to come needs. @param {Set<string>} wanted */
  async keepOnly(wanted) {
    for (const [need, running] of [...this.#running]) {
      if (wanted.has(need)) continue;
      this.#running.delete(need);
      await running.stop();
    }
  }
}
