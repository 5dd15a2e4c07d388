import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import { ROOT } from '../scripts/lib/environment.mjs';
import { freePort } from '../scripts/lib/processes.mjs';
import { THROUGHPUT_OPTIONS } from '../scripts/lib/services.mjs';
import { prepare } from '../test/stage/app.mjs';
import { openAccount, PASSWORD, signIn, until } from '../test/stage/client.mjs';

export { broadcast, contacts, PASSWORD, signIn, until } from '../test/stage/client.mjs';
export { freePort };

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** How long work takes, milliseconds. */
export const timed = async (work) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const MEETS = {
  'at most': (value, limit) => value <= limit,
  'at least': (value, limit) => value >= limit,
  '': (value, limit) => value === limit,
};
const MISSED = 'MISSED';

/**
 * `value (goal)` as one line of the results.
 * @param goal `at most 1.5`, `at least 0.75`, a number that it must be, or that there is none
 */
export function verdict(name, value, goal, text) {
  const [, how, limit] = /^(at most|at least|) ?([\d.]+)$/.exec(goal) ?? [];
  const isMet = limit === undefined || MEETS[how](value, Number(limit));
  return `${name}: ${value.toFixed(2)} (goal ${goal}${isMet ? '' : `, ${MISSED}`}) ${text}`;
}

/** Whether a line of the results misses its goal. */
export const isMissed = (line) => line.includes(`, ${MISSED})`);

/** Starts a script and gives its first JSON line. */
export async function start(script, args, environment, stdin = 'ignore') {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, new URL('..', import.meta.url))), ...args], {
    cwd: ROOT,
    env: environment,
    stdio: [stdin, 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const next = async () => JSON.parse((await once(lines, 'line'))[0]);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { child, next, stop };
}

/** Peak resident memory of a process, in MB. */
export const peakMemory = (pid) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** True when the application behind this address serves. */
const isLive = (url) =>
  fetch(`${url}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );

/** A number that a run may set, such as `KILLS=20 npm run bench -- kills`. */
export const size = (name, usual) => Number(process.env[name] ?? usual);

/**
 * A database of its own with the schema, the admin and an account `bench` with many credits; applications on it.
 * Everything is stopped and dropped by `close`.
 * @param overrides further variables of the applications
 */
export async function stage(environment, overrides = {}) {
  const base = new URL(environment.DATABASE_URL);
  const name = `switchboard_bench_${randomBytes(4).toString('hex')}`;
  const admin = await mysql.createConnection(base.href);
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  base.pathname = `/${name}`;
  const own = {
    ...environment,
    DATABASE_URL: base.href,
    REDIS_PREFIX: name,
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'info',
    BROADCAST_RATE_LIMIT: '1000000000',
    USER_RATE_LIMIT: '1000000000',
    BODY_LIMIT: '64mb',
    PORT: String(await freePort()),
    WORKER_PORT: String(await freePort()),
    SANDBOX_SMPP_PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    ...overrides,
  };
  const running = [];
  const close = async () => {
    for (const app of running.reverse()) await app.stop();
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
  };
  try {
    await prepare(own);
    const database = await mysql.createPool({ uri: base.href, connectionLimit: 2 });
    running.push({ stop: () => database.end() });
    const run = async (script, port, more = {}) => {
      const args = [...THROUGHPUT_OPTIONS, script];
      const env = { ...own, ...more };
      const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
      /** an application that is killed leaves what it was writing */
      const stop = async (signal = 'SIGTERM') => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill(signal);
        await once(child, 'exit');
      };
      running.push({ stop: () => stop() });
      const url = `http://127.0.0.1:${port}`;
      const ask = async () => {
        if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode}`);
        return isLive(url);
      };
      await until(ask, Boolean, { withinMs: 30_000 });
      return { url, pid: child.pid, stop };
    };
    return {
      environment: own,
      database,
      close,
      running,
      api: () => run('dist/src/apps/api/main.js', own.PORT),
      worker: () => run('dist/src/apps/worker/main.js', own.WORKER_PORT),
      /** a worker beside the first */
      anotherWorker: async () => {
        const port = String(await freePort());
        return run('dist/src/apps/worker/main.js', port, { WORKER_PORT: port });
      },
      run,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The account `bench`, with credits, signed in. */
export async function benchAccount(url) {
  const admin = await signIn(url, 'admin');
  return { admin, client: await openAccount(url, admin, 'bench', { gsm_credits: 100_000_000 }) };
}
