import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Explained } from './progress.mjs';

/** True while a process with this id exists and is no zombie. @param {number} pid */
export function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

/** The command line of a process, '' when it cannot be read. Guards against ids that the system has given away again. */
export function commandLine(pid) {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** True when `pid` lives and is the program we take it for. @param {number} pid @param {string} mark part of its command line */
export const isProcess = (pid, mark) => isAlive(pid) && commandLine(pid).includes(mark);

/** Waits until the process is gone; false when it outlives the time. */
export async function waitForEnd(pid, milliseconds) {
  const deadline = Date.now() + milliseconds;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(25);
  }
  return true;
}

/** SIGTERM, then SIGKILL when it has not ended in time. Only ever called with ids of processes that we started. */
export async function stopProcess(pid, graceMilliseconds = 20_000) {
  for (const [signal, grace] of [
    ['SIGTERM', graceMilliseconds],
    ['SIGKILL', 5_000],
  ]) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    if (await waitForEnd(pid, grace)) return;
  }
}

/**
 * Starts a server that outlives the terminal's Ctrl-C (own process group): we stop it ourselves, after what uses it.
 * @param {{ command: string, args: string[], cwd: string, log: string, user: { uid: number, gid: number } | null,
 *   env?: Record<string, string> }} what env: variables beside ours
 */
export function startServer({ command, args, cwd, log, user, env = {} }) {
  const output = openSync(log, 'a');
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', output, output],
      ...(user === null ? {} : user),
    });
    child.unref();
    child.on('error', () => undefined);
    return child;
  } finally {
    closeSync(output);
  }
}

const running = new Set();

/** Runs a command to its end with the terminal as its output; rejects with `Explained` when it fails. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
    running.add(child);
    const end = (fault) => {
      running.delete(child);
      if (fault === null) resolve();
      else reject(new Explained(fault));
    };
    child.on('error', (error) => end(`${command} could not be started: ${error.message}`));
    child.on('exit', (code, signal) =>
      end(code === 0 ? null : `"${[command, ...args].join(' ')}" ended with ${signal ?? code}`),
    );
  });
}

/** Ends what `run` is still waiting for. */
export async function stopRunning() {
  await Promise.all([...running].map((child) => child.pid !== undefined && stopProcess(child.pid, 10_000)));
}

/** True when nothing listens on the port of this address. @param {number} port */
export function isFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The wanted port when free, else one that the system gives. @param {number} [wanted] */
export async function freePort(wanted) {
  if (wanted !== undefined && (await isFree(wanted))) return wanted;
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** The first free port from `first` upwards. */
export async function nextFreePort(first, host) {
  for (let port = first; port < first + 200; port++) if (await isFree(port, host)) return port;
  throw new Explained(`No free port between ${first} and ${first + 200}: set PORT`);
}

/**
 * Sends `request` over TCP and gives the first bytes of the answer as text, '' when there is none in time.
 * @param {number} port @param {string | null} request null: the other side speaks first
 */
export function ask(port, request, milliseconds = 1_000) {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    let answer = '';
    const done = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(milliseconds, done);
    socket.once('error', done);
    socket.once('close', done);
    socket.once('connect', () => request !== null && socket.write(request));
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      if (request === null || answer.split('\r\n').length > request.split('\r\n').length - 1) done();
    });
  });
}

/** Keeps two runs of one checkout apart. @returns a function that frees the lock, and what the holder before us left */
export function takeLock(file, mark, refusal) {
  mkdirSync(dirname(file), { recursive: true });
  let left = null;
  if (existsSync(file)) {
    try {
      left = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      left = null; // half-written by a machine that went down
    }
    if (left !== null && left.pid !== process.pid && isProcess(left.pid, mark)) throw new Explained(refusal(left));
  }
  const state = { pid: process.pid, startedAt: new Date().toISOString(), children: [] };
  const write = () => writeFileSync(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  write();
  return {
    left,
    update: (changes) => {
      Object.assign(state, changes);
      write();
    },
    free: () => rmSync(file, { force: true }),
  };
}
