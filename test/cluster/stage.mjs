/** What a row gets: servers, a database of its own on them, and applications where it wants them. */
import mysql from 'mysql2/promise';
import { prepare } from '../stage/app.mjs';
import { Stage } from '../stage/stage.mjs';

/**
 * - `galera` (`nodes[i].kill()`, `galera.restart(node)`, `galera.heal()`), or `single`; `redis` (`url`, and of several
 *   machines `servers`, `masters`)
 * - `databaseUrl`: of the writer, by the proxy where there is one; `readUrl`: of readers; `nodeUrls`: of each node itself
 * - `pool`: asks the database as applications do, by `databaseUrl`; `query(node, …)`: asks one node
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

  /** A route behind which is no carrier: for what is about anything but sending. */
  deadRoute(admin, route, channel) {
    const config = { url: 'http://127.0.0.1:9/' };
    return admin.call('PUT', `/v6/api/admin/routes/${route}`, { channel, driver: 'http', config });
  }
}

/** Readers on a node wait until it has what was committed before on any. */
function causal(uri) {
  const pool = mysql.createPool({ uri, connectionLimit: 4, supportBigNumbers: true });
  pool.on('connection', (connection) => connection.query('SET wsrep_sync_wait = 1'));
  return pool;
}

/** A stage for this row, its database migrated and seeded unless the row does so itself (`isBare`). */
export async function openStage(row, servers, say) {
  const stage = new ClusterStage(row, servers, say);
  stage.pool = causal(servers.databaseUrl);
  stage.pools = servers.nodeUrls.map(causal);
  for (const pool of [stage.pool, ...stage.pools]) stage.onEnd(() => pool.end());
  try {
    if (!row.isBare) await prepare(stage.environment);
    return stage;
  } catch (error) {
    await stage.close();
    throw error;
  }
}
