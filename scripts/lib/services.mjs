import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './environment.mjs';
import { isAlive, isProcess, stopProcess } from './processes.mjs';
import { Explained, print, say } from './progress.mjs';

const READY_WITHIN_MS = 90_000;
/**
 * In development a process rests beside other work, and gives back what its start took: a small young generation, a heap that
 * grows late, one collection when it is ready, and freed memory back to the system (bench: idle, memory).
 */
export const FRUGAL = {
  options: ['--max-semi-space-size=1', '--optimize-for-size', '--expose-gc'],
  environment: { MALLOC_TRIM_THRESHOLD_: String(128 * 1024), MALLOC_ARENA_MAX: '2' },
};
/**
 * In production throughput counts: what a request needs is gone with it, if the young generation is large enough for some of
 * them at once; in a small one it is moved twice first. It grows only where there is so much work (bench: personalised, hot).
 */
export const THROUGHPUT_OPTIONS = ['--max-semi-space-size=32'];
/** pino's number of "warn" */
const WARN = 40;

/** The record of a log line; an empty one when it is none. */
function recordOf(line) {
  try {
    const record = JSON.parse(line);
    return typeof record === 'object' && record !== null ? record : {};
  } catch {
    return { level: WARN, msg: line };
  }
}

/** What an operator should see of a record: warnings, errors and anything that is no log record. */
const worthShowing = (record, line) => (Number(record.level) >= WARN ? (record.msg ?? line) : '');

/** A promise with its two ends in hand; a rejection that nothing waits for is no fault. */
function deferred() {
  const ends = {};
  const promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
  promise.catch(() => undefined);
  return { promise, ...ends };
}

/**
 * Starts one built application in a process group of its own, so that Ctrl-C reaches it through us and in order.
 * Its log goes to a file; warnings come to the terminal too.
 * @param {string} name api, worker or sandbox
 * @param {{ environment: Record<string, string>, logs: string, everything: boolean, prepare?: boolean,
 *   onEnd: (text: string) => void }} options prepare: it migrates and seeds first, which takes as long as it takes
 */
export function startService(name, { environment, logs, everything, prepare = false, onEnd }) {
  mkdirSync(logs, { recursive: true });
  const file = join(logs, `${name}.log`);
  if (existsSync(file)) renameSync(file, `${file}.1`);
  const log = createWriteStream(file, { mode: 0o600 });
  const kind = environment.NODE_ENV === 'production' ? { options: THROUGHPUT_OPTIONS, environment: {} } : FRUGAL;
  const program = [join(ROOT, `dist/src/apps/${name}/main.js`), ...(prepare ? ['--prepare'] : [])];
  const args = ['--enable-source-maps', ...kind.options, ...program];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...kind.environment, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let ended = false;
  let portTaken = false;
  const prepared = deferred();
  const ready = deferred();
  let timer;
  const startClock = () => {
    const late = `${name} was not ready after ${READY_WITHIN_MS / 1000} s. Its log: ${file}`;
    timer = setTimeout(() => ready.reject(new Explained(late)), READY_WITHIN_MS);
  };
  void prepared.promise.then(startClock, () => undefined);
  ready.promise.catch(() => undefined).finally(() => clearTimeout(timer));
  if (!prepare) prepared.resolve();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      const record = recordOf(line);
      // each process says so in one line once it serves
      if (record.ready === name) ready.resolve();
      if (record.prepared === name) prepared.resolve();
      if (/already in use|EADDRINUSE/.test(line)) portTaken = true;
      const shown = everything ? line : worthShowing(record, line);
      if (shown !== '') print(`  ${name.padEnd(7)} | ${shown}`);
    });
  }
  const finish = (reason) => {
    if (ended) return;
    ended = true;
    const text = `${name} ended with ${reason}. Its log: ${file}`;
    prepared.reject(new Explained(text));
    ready.reject(new Explained(text));
    log.end();
    onEnd(text);
  };
  child.once('error', (error) => finish(error.message));
  child.once('close', (code, signal) => finish(signal ?? `exit code ${code}`));
  return {
    name,
    pid: child.pid,
    /** resolves once the database is as this version needs it; at once for a process that does not prepare */
    prepared: prepared.promise,
    ready: ready.promise,
    /** whether it ended because another program has its port */
    lostItsPort: () => ended && portTaken,
    stop: () => (ended || child.pid === undefined ? Promise.resolve() : stopProcess(child.pid, 30_000)),
  };
}

/** Ends applications that a killed run left behind, by the ids it noted. @param {{ children?: { pid: number }[] } | null} left */
export async function stopLeftovers(left) {
  for (const child of left?.children ?? []) {
    if (isAlive(child.pid) && isProcess(child.pid, join(ROOT, 'dist/src/apps/'))) {
      say(`Stopping ${child.name} (process ${child.pid}) of an earlier run`);
      await stopProcess(child.pid);
    }
  }
}
