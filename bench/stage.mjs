import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { THROUGHPUT_OPTIONS } from '../scripts/lib/services.mjs';
import { prepare } from '../test/stage/app.mjs';
import { broadcast, contacts } from '../test/stage/client.mjs';
import { Stage } from '../test/stage/stage.mjs';

/** Limits that nobody meets, but that are counted as in service; and a route `sandbox` behind which nobody is. */
const SETTINGS = { BROADCAST_RATE_LIMIT: '1000000000', USER_RATE_LIMIT: '1000000000', SANDBOX_SMPP_PORT: '9' };
const SENT_WITHIN_MS = 300_000;

const opened = [];

/** A database of its own on the servers of the run, with the schema and an admin; `pool` asks it. Processes run as in production. */
class BenchStage extends Stage {
  static async open({ DATABASE_URL, REDIS_URL, DATA_DIR }, overrides) {
    const name = `bench_${randomBytes(4).toString('hex')}`;
    const url = new URL(DATABASE_URL);
    const server = await mysql.createConnection(url.href);
    const database = `switchboard_${name}`;
    await server.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    url.pathname = `/${database}`;
    const stage = new BenchStage(name, { DATABASE_URL: url.href, REDIS_URL, DATA_DIR, ...SETTINGS, ...overrides });
    opened.push(stage);
    stage.onEnd(async () => {
      await server.query(`DROP DATABASE ${database}`);
      await server.end();
    });
    try {
      await prepare(stage.environment);
      stage.pool = mysql.createPool({ uri: url.href, connectionLimit: 2 });
      stage.onEnd(() => stage.pool.end());
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  start(kind, environment = {}, options = {}) {
    return super.start(kind, environment, { options: THROUGHPUT_OPTIONS, ...options });
  }

  /** Another way to do the same: `bench/bare.mjs`. @returns its port, or the seconds it took */
  async bare(way, ...sizes) {
    return (await this.script('bench/bare.mjs', way, ...sizes)).next();
  }
}

/** Closes what an interrupted run leaves open. */
export const closeStages = () => Promise.all(opened.map((stage) => stage.close()));

/** Opens a stage. @param overrides variables of all applications */
export const openStage = (environment, overrides) => BenchStage.open(environment, overrides);

/** A bench on a stage that ends with it. @param work `(stage, say)` to lines of the results */
export const onStage = (work, overrides) => async (environment, say) => {
  const stage = await openStage(environment, overrides);
  try {
    return await work(stage, say);
  } finally {
    await stage.close();
  }
};

export const SMS_PATH = '/webhook/api/addbroadcastgsm.php';

/** Sends an SMS broadcast of so many. */
export const sendSms = (client, total, route = 'bench') =>
  client.call('POST', SMS_PATH, broadcast(contacts(total), route));

/** Sends one campaign and waits until every status is written. @param send gives its request id @returns seconds */
export async function dispatchOnce(pool, total, send) {
  const { request_id: requestId } = await send();
  const accepted = performance.now();
  for (;;) {
    const [[row]] = await pool.query(
      `SELECT COALESCE(SUM(k.recipients), 0) AS sent FROM campaigns c JOIN campaign_counters k ON k.campaign_id = c.id AND k.status = 1
       WHERE c.request_id = ?`,
      [requestId],
    );
    if (Number(row.sent) === total) break;
    if (performance.now() - accepted > SENT_WITHIN_MS) throw new Error(`only ${row.sent} of ${total} were sent`);
    await sleep(20);
  }
  return (performance.now() - accepted) / 1000;
}
