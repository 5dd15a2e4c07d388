import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './environment.mjs';
import { isAlive, isProcess, stopProcess } from './processes.mjs';
import { Explained, print, say } from './progress.mjs';

const READY_WITHIN_MS = 90_000;
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

/**
 * Starts one compiled application in a process group of its own, so that Ctrl-C reaches it through us and in order.
 * Its log goes to a file; warnings come to the terminal too.
 * @param {string} name api, worker or sandbox
 * @param {{ environment: Record<string, string>, logs: string, everything: boolean, onEnd: (text: string) => void }} options
 */
export function startService(name, { environment, logs, everything, onEnd }) {
  mkdirSync(logs, { recursive: true });
  const file = join(logs, `${name}.log`);
  if (existsSync(file)) renameSync(file, `${file}.1`);
  const log = createWriteStream(file, { mode: 0o600 });
  const child = spawn(process.execPath, ['--enable-source-maps', join(ROOT, `dist/src/apps/${name}/main.js`)], {
    cwd: ROOT,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let ended = false;
  let portTaken = false;
  let markReady;
  let markFailed;
  const ready = new Promise((resolve, reject) => {
    markReady = resolve;
    markFailed = reject;
  });
  const timer = setTimeout(
    () => markFailed(new Explained(`${name} was not ready after ${READY_WITHIN_MS / 1000} s. Its log: ${file}`)),
    READY_WITHIN_MS,
  );
  ready.catch(() => undefined).finally(() => clearTimeout(timer));
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      const record = recordOf(line);
      // each process says so in one line once it serves
      if (record.ready === name || record.msg === `${name} ready`) markReady();
      if (/already in use|EADDRINUSE/.test(line)) portTaken = true;
      const shown = everything ? line : worthShowing(record, line);
      if (shown !== '') print(`  ${name.padEnd(7)} | ${shown}`);
    });
  }
  const finish = (reason) => {
    if (ended) return;
    ended = true;
    const text = `${name} ended with ${reason}. Its log: ${file}`;
    markFailed(new Explained(text));
    log.end();
    onEnd(text);
  };
  child.once('error', (error) => finish(error.message));
  child.once('close', (code, signal) => finish(signal ?? `exit code ${code}`));
  return {
    name,
    pid: child.pid,
    ready,
    /** whether it ended because somebody else has its port */
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
