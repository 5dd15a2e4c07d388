/** What a row gets: servers, a database of its own on them, and applications where it wants them. */
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { prepare } from '../stage/app.mjs';
import { Stage } from '../stage/stage.mjs';

/** how long `ask` waits for an answer, and for a writer */
const ANSWER_MS = 10_000;
const ASKED_MS = 60_000;

/**
 * - `cluster` (`servers/cluster.mjs`), or `single`; `redis` (`url`, and of several machines `servers`, `masters`)
 * - `databaseUrl`: of the writer, by the proxy where there is one; `readUrl`: of readers; `nodeUrls`: of each node itself
 * - `pool`: asks the database as applications do, by `databaseUrl`; `query(node, …)`: asks one node; `ask(…)`: asks by
 *   `databaseUrl`, until a writer answers
 */
class ClusterStage extends Stage {
  constructor(row, servers, say) {
    super(`cluster-${row.name}`, {
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redis.url,
      ...row.environment,
    });
    Object.assign(this, servers, { say });
  }

  /** A process that serves, writing and reading on one node. @param {number} node index */
  startOn(node, kind, environment = {}) {
    return this.start(kind, { DATABASE_URL: this.nodeUrls[node], ...environment });
  }

  /** So many APIs and workers in turn over the nodes, each writing on its own. */
  async spread(apis, workers, environment = {}) {
    const kinds = [...Array(apis).fill('api'), ...Array(workers).fill('worker')];
    const url = (place) => this.nodeUrls[place % this.nodeUrls.length];
    for (const [place, kind] of kinds.entries()) {
      await this.enrol(kind, { ...environment, DATABASE_URL: url(place < apis ? place : place - apis) });
    }
    await Promise.all(this.apps.map((app) => app.start()));
    return this;
  }

  /** What the nodes have counted of conflicts since they began. */
  async conflicts() {
    const counted = { refused: 0, commits: 0 };
    for (const node of this.nodeUrls.keys()) {
      for (const { Variable_name: variable, Value } of await this.query(
        node,
        "SHOW GLOBAL STATUS LIKE 'wsrep_local%'",
      )) {
        if (/cert_failures|bf_aborts/.test(variable)) counted.refused += Number(Value);
        if (/local_commits/.test(variable)) counted.commits += Number(Value);
      }
    }
    return counted;
  }

  /** Rows of a statement on one node, with all that was committed on any node before. */
  async query(node, sql, values) {
    const [rows] = await this.pools[node].query(sql, values);
    return rows;
  }

  /** Rows of a statement, also while there is no writer for a moment. */
  async ask(sql, values) {
    for (const end = Date.now() + ASKED_MS; ; await sleep(200)) {
      try {
        return (await this.pool.query({ sql, values, timeout: ANSWER_MS }))[0];
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  /** A route behind which is no carrier: for what is about anything but sending. */
  deadRoute(admin, route, channel) {
    const config = { url: 'http://127.0.0.1:9/' };
    return admin.call('PUT', `/v6/api/admin/routes/${route}`, { channel, driver: 'http', config });
  }
}

/** Readers on a node of a cluster wait until it has what was committed before on any. */
function causal(uri, cluster) {
  const pool = mysql.createPool({ uri, connectionLimit: 4, supportBigNumbers: true });
  if (cluster) pool.on('connection', (connection) => connection.query(cluster.causal));
  return pool;
}

/** A stage for this row, its database migrated and seeded unless the row does so itself (`isBare`). */
export async function openStage(row, servers, say) {
  const stage = new ClusterStage(row, servers, say);
  stage.pool = causal(servers.databaseUrl, servers.cluster);
  stage.pools = servers.nodeUrls.map((url) => causal(url, servers.cluster));
  for (const pool of [stage.pool, ...stage.pools]) stage.onEnd(() => pool.end());
  try {
    if (!row.isBare) await prepare(stage.environment);
    return stage;
  } catch (error) {
    await stage.close();
    throw error;
  }
}
