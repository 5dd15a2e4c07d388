import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createTestDatabase, requireVariable, type TestDatabase } from './database.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const cleanups = new Set<() => void>();

/** What must not outlive the tests, however they end. */
function atTheEnd(cleanup: () => void): void {
  const cleanUp = (): void => {
    for (const each of cleanups) each();
    cleanups.clear();
  };
  if (cleanups.size === 0) {
    const end = (): void => {
      cleanUp();
      process.kill(process.pid, 'SIGKILL');
    };
    process.once('exit', cleanUp);
    process.once('SIGTERM', end);
    process.once('disconnect', end); // vitest itself has ended
  }
  cleanups.add(cleanup);
}

/** Below what kernels give to calls that go out: one of those may have a port by the time its server begins, or begins again. */
const FIRST_PORT = 15_000;
const PORTS = 15_000;

/** A free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** One real process of the built service. */
export class ServiceProcess {
  output = '';
  private child: ChildProcess | null = null;

  constructor(
    readonly app: 'api' | 'worker' | 'sandbox' | 'front',
    readonly url: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isAlive(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts it and waits until it says that it is ready. */
  async start(): Promise<this> {
    const child = spawn(process.execPath, [join(ROOT, `dist/src/apps/${this.app}/main.js`)], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    atTheEnd(() => child.kill('SIGKILL'));
    const keep = (chunk: Buffer): void => {
      this.output = (this.output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const path = this.app === 'sandbox' ? '/ledger' : '/health/live';
    await until(`${this.app} to be ready`, async () => {
      if (child.exitCode !== null) throw new Error(`${this.app} ended with ${child.exitCode}:\n${this.output}`);
      return fetch(this.url + path).then(
        (response) => response.ok,
        () => false,
      );
    });
    return this;
  }

  /** Ends it; SIGKILL leaves it no time to say goodbye. Answers the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const { child } = this;
    if (!child || !this.isAlive) return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
    return child.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }
}

/** The whole service as real processes on a database and a Redis prefix of its own. */
export interface Service {
  url: string;
  sandboxUrl: string;
  environment: NodeJS.ProcessEnv;
  database: TestDatabase;
  api: ServiceProcess;
  sandbox: ServiceProcess;
  workers: ServiceProcess[];
  addWorker(environment?: NodeJS.ProcessEnv): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

/** Migrates and seeds. */
async function prepare(environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/src/apps/api/prepare.js')], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...environment },
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`prepare ended with ${String(code)}:\n${said}`);
}

type Settings = NodeJS.ProcessEnv | ((database: TestDatabase) => Promise<NodeJS.ProcessEnv>);

/**
 * Starts sandbox, API and workers on a database of their own. `settings` sets limits and time-outs, as an operator would.
 * @param beside a service whose sandbox is this one's too
 */
export async function startService(workers: number, settings: Settings = {}, beside?: Service): Promise<Service> {
  const database = await createTestDatabase();
  const environment = typeof settings === 'function' ? await settings(database) : settings;
  const dataDirectory = mkdtempSync(join(tmpdir(), 'switchboard-e2e-'));
  atTheEnd(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const [port, sandboxPort, smppPort] = [await freePort(), await freePort(), await freePort()];
  const shared: NodeJS.ProcessEnv = {
    NODE_ENV: 'development',
    DATABASE_URL: database.url,
    REDIS_URL: requireVariable('REDIS_URL'),
    REDIS_PREFIX: `e2e-${randomBytes(4).toString('hex')}`,
    JWT_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    SETTLEMENT_KEY: randomBytes(32).toString('hex'),
    ADMIN_PASSWORD: 'Admin-1234!',
    DATA_DIR: dataDirectory,
    PORT: String(port),
    SANDBOX_PORT: beside?.environment['SANDBOX_PORT'] ?? String(sandboxPort),
    SANDBOX_SMPP_PORT: beside?.environment['SANDBOX_SMPP_PORT'] ?? String(smppPort),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'warn',
    ...environment,
  };
  const sandbox = beside?.sandbox ?? new ServiceProcess('sandbox', `http://127.0.0.1:${sandboxPort}`, shared);
  const api = new ServiceProcess('api', `http://127.0.0.1:${port}`, shared);
  const started: ServiceProcess[] = [];
  const addWorker = async (extra: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> => {
    const workerPort = await freePort();
    const worker = new ServiceProcess('worker', `http://127.0.0.1:${workerPort}`, {
      ...shared,
      WORKER_PORT: String(workerPort),
      ...extra,
    });
    started.push(await worker.start());
    return worker;
  };
  const service: Service = {
    url: api.url,
    sandboxUrl: sandbox.url,
    environment: shared,
    database,
    api,
    sandbox,
    workers: started,
    addWorker,
    stop: async () => {
      await Promise.all([api, ...started].map((process) => process.stop()));
      if (!beside) await sandbox.stop();
      await database.drop();
    },
  };
  try {
    await Promise.all([beside ? sandbox : sandbox.start(), prepare(shared)]);
    await Promise.all([api.start(), ...Array.from({ length: workers }, () => addWorker())]);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** Settings under which no test of the common service meets a limit, and receipts are overdue only when a test says so. */
const COMMON = {
  RECEIPT_TIMEOUT: '1h',
  LANE_LEASE: '10s',
  WEBHOOK_LEASE: '2s',
  BROADCAST_RATE_LIMIT: '0',
  USER_RATE_LIMIT: '0',
};
let common: Promise<Service> | undefined;

/**
 * One service for all files that want no settings of their own, started by the first of them, with that many workers,
 * the carrier's books empty and its days good. It ends with the tests.
 */
export async function commonService(workers: number): Promise<Service> {
  const isNew = common === undefined;
  const service = await (common ??= startService(workers, COMMON));
  if (isNew) return service;
  const alive = service.workers.filter((worker) => worker.isAlive);
  service.workers.splice(0, Infinity, ...alive.slice(0, workers));
  await Promise.all(alive.slice(workers).map((worker) => worker.stop()));
  await Promise.all(Array.from({ length: workers - service.workers.length }, () => service.addWorker()));
  for (const path of ['/faults', '/ledger']) await fetch(service.sandboxUrl + path, { method: 'DELETE' });
  return service;
}

/** Removes every key of the service from Redis, as a restart without its file would. */
export async function emptyRedis({ environment }: Service): Promise<void> {
  const redis = new Redis(String(environment['REDIS_URL']));
  // At once: between a look for the keys and their end, a worker would write new ones.
  const all = "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end";
  await redis.eval(all, 0, `*${String(environment['REDIS_PREFIX'])}*`);
  await redis.quit();
}

/** Waits for a condition; fails naming it. */
export async function until(what: string, condition: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s for ${what}`);
    await sleep(100);
  }
}
