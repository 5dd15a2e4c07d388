import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { ensureBuilt } from '../../scripts/lib/build.mjs';
import { ensureInstalled } from '../../scripts/lib/install.mjs';
import { App, prepare } from './app.mjs';
import { startCarrier } from './carrier.mjs';
import { openAccount, PASSWORD, signIn } from './client.mjs';
import { lastingPort } from './ports.mjs';
import { startScript } from './script.mjs';
import { privateDatabase, privateRedis } from './servers.mjs';
import { Way } from './way.mjs';

/** No test meets a limit it has not set. */
const UNLIMITED = { BROADCAST_RATE_LIMIT: '0', USER_RATE_LIMIT: '0', CARRIER_RATE_LIMIT: '0', BODY_LIMIT: '64mb' };

/** A directory that ends with the stage, and that servers of another user reach. */
function temporaryDirectory(name) {
  const directory = mkdtempSync(join(tmpdir(), `switchboard-${name}-`));
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, 'logs'));
  return directory;
}

/**
 * Servers of its own, and processes of the service on them, each by ways of its own: `app.ways.database`, `app.ways.redis`.
 */
export class Stage {
  #stops = [];
  apps = [];

  constructor(name, environment) {
    this.name = name;
    this.directory = temporaryDirectory(name);
    this.onEnd(() => rmSync(this.directory, { recursive: true, force: true }));
    this.logs = join(this.directory, 'logs');
    this.environment = {
      NODE_ENV: 'development',
      REDIS_PREFIX: name,
      JWT_SECRET: randomBytes(32).toString('hex'),
      SETTLEMENT_KEY: randomBytes(32).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      ADMIN_PASSWORD: PASSWORD,
      DATA_DIR: join(this.directory, 'data'),
      LOG_LEVEL: 'info',
      ...UNLIMITED,
      ...environment,
    };
  }

  /** Is called when the stage ends, before what was registered earlier. */
  onEnd(stop) {
    this.#stops.push(stop);
  }

  get apis() {
    return this.apps.filter(({ kind }) => kind === 'api');
  }

  get workers() {
    return this.apps.filter(({ kind }) => kind === 'worker');
  }

  /** The ways of all processes to one server. @param {'database' | 'redis'} server */
  waysTo(server) {
    return this.apps.map(({ ways }) => ways[server]).filter(Boolean);
  }

  /** A way that ends with the stage. */
  async way(target) {
    const way = await Way.open(target);
    this.onEnd(() => way.close());
    return way;
  }

  /** One more process by ways of its own, not started yet. @param environment of its own @param root the checkout whose build it runs */
  async addApp(kind, environment = {}, root = undefined) {
    const ways = {
      database: await this.way(() => this.database.target),
      redis: await this.way(() => this.redis.target),
    };
    const urls = {
      DATABASE_URL: ways.database.through(this.database.url),
      REDIS_URL: ways.redis.through(this.redis.url),
    };
    return this.enrol(kind, { ...urls, ...environment }, { root, ways });
  }

  /** One more process at the addresses that its environment names, not started yet. @param options of the `App` */
  async enrol(kind, environment = {}, { ways = {}, ...options } = {}) {
    const name = `${kind}-${this.apps.filter((app) => app.kind === kind).length + 1}`;
    const port = String(await lastingPort());
    const ports = { PORT: port, WORKER_PORT: port, SANDBOX_PORT: port };
    const own = { ...this.environment, ...ports, ...environment };
    const app = new App(kind, { name, environment: own, logs: this.logs, ...options });
    app.ways = ways;
    this.apps.push(app);
    return app;
  }

  /** The same, started; it serves. @param {'api' | 'worker' | 'sandbox' | 'front'} kind */
  async start(kind, environment = {}, options = {}) {
    return (await this.enrol(kind, environment, options)).start();
  }

  /** A script of ours that ends with the stage. @see startScript */
  async script(file, ...args) {
    const script = await startScript(file, args, this.environment);
    this.onEnd(() => script.stop());
    return script;
  }

  /** A carrier that ends with the stage. @param prefix of the numbers whose messages it keeps */
  async carrier(prefix) {
    const carrier = await startCarrier(prefix);
    this.onEnd(() => carrier.stop());
    return carrier;
  }

  /** Staff, and an account `bench` with credits, signed in at this API. */
  async signInAt({ url }, credits = { gsm_credits: 100_000_000 }) {
    const admin = await signIn(url, 'admin');
    return { admin, client: await openAccount(url, admin, 'bench', credits) };
  }

  /** Ends everything that was started, and removes what it wrote. */
  async close() {
    await Promise.all(this.apps.map((app) => app.end()));
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}

/**
 * Opens a stage: a private MariaDB (durable) and Redis (append-only), prepared, with so many APIs and workers, started.
 * `stage.database` and `stage.redis` are the servers (kill, freeze, start again), `stage.pool` asks the database directly.
 * @param {{ name?: string, apis?: number, workers?: number, environment?: Record<string, string>,
 *   databaseOptions?: object, redisOptions?: object, root?: string }} [options] environment of all processes; options of
 * `startDatabase` and `startRedis`; the checkout whose build is run
 */
export async function openStage(options = {}) {
  const { name = 'stage', apis = 1, workers = 1, environment = {}, databaseOptions, redisOptions, root } = options;
  await ensureInstalled();
  await ensureBuilt();
  const stage = new Stage(name, environment);
  try {
    const [database, redis] = await Promise.all([
      privateDatabase(join(stage.directory, 'servers'), databaseOptions),
      privateRedis(join(stage.directory, 'servers'), redisOptions),
    ]);
    Object.assign(stage, { database, redis });
    stage.onEnd(() => Promise.all([database.stop(), redis.stop()]));
    // by a way too: the server may come back on another port
    const way = await stage.way(() => database.target);
    stage.pool = mysql.createPool({
      uri: way.through(database.url),
      connectionLimit: 4,
      supportBigNumbers: true,
      timezone: 'Z',
    });
    stage.onEnd(() => stage.pool.end());
    await prepare({ ...stage.environment, DATABASE_URL: database.url, REDIS_URL: redis.url }, root);
    for (let count = 0; count < apis; count++) await stage.addApp('api', {}, root);
    for (let count = 0; count < workers; count++) await stage.addApp('worker', {}, root);
    await Promise.all(stage.apps.map((app) => app.start()));
    return stage;
  } catch (error) {
    await stage.close();
    throw error;
  }
}
