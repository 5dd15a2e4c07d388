import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { knownVariables } from '../scripts/lib/environment.mjs';
import { median } from './stage.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = 5;
/** After that long a process has given back what its start took. */
const SETTLED_MS = 8_000;
const PROCESSES = ['api', 'worker', 'sandbox'];
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** A figure of /proc in MB. */
function megabytes(pid, file, name) {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'));
  return Number(found?.[1] ?? 0) / 1024;
}

/** The processes of a running start, by the ids that it noted. */
const childrenOf = (directory) => JSON.parse(readFileSync(join(directory, 'start.lock'), 'utf8')).children;

/** One `npm start` in a checkout, with servers and data of its own: its phases, and what its processes hold at rest. */
async function startOnce(root, directory, look) {
  const environment = { ...process.env, DATA_DIR: directory };
  for (const name of knownVariables()) if (name !== 'DATA_DIR') delete environment[name];
  const began = performance.now();
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const isReady = new Promise((resolve) =>
      createInterface({ input: child.stdout }).on('line', (line) => line.endsWith('] Ready') && resolve(true)),
    );
    if (!(await Promise.race([isReady, ended.then(() => false)]))) throw new Error('npm start did not become ready');
    const total = performance.now() - began;
    const phases = JSON.parse(readFileSync(join(directory, 'logs', 'start.json'), 'utf8'));
    return { total, phases, seen: await look(directory) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function memoryAtRest(directory) {
  await sleep(SETTLED_MS);
  return childrenOf(directory).map(({ name, pid }) => ({
    name,
    rss: megabytes(pid, 'status', 'VmRSS'),
    pss: megabytes(pid, 'smaps_rollup', 'Pss'),
  }));
}

const phaseText = (phases) =>
  Object.entries(phases)
    .sort(([, a], [, b]) => a.from - b.from)
    .map(([name, { from, to }]) => `${name} ${seconds(from)} to ${seconds(to)}`)
    .join(', ');

/** A copy of the checkout without anything that was installed, built or kept. */
function freshCheckout() {
  const directory = mkdtempSync(join(tmpdir(), 'switchboard-start-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of String(files).split('\0').filter(Boolean)) {
    cpSync(join(ROOT, file), join(directory, file), { recursive: true });
  }
  return directory;
}

/**
 * How long `npm start` takes until it is ready, phase by phase, and what its processes hold at rest. Cold: a fresh checkout
 * whose packages lie in npm's cache; the programs of the servers are there. Warm: nothing has changed since.
 */
export async function benchStart(_environment, say) {
  const fresh = freshCheckout();
  const directory = join(fresh, '.data');
  try {
    const cold = await startOnce(fresh, directory, async () => null);
    say(`cold: ${seconds(cold.total)} (${phaseText(cold.phases)})`);
    const warm = [];
    for (let round = 0; round < ROUNDS; round++) {
      const isLast = round === ROUNDS - 1;
      warm.push(await startOnce(fresh, directory, isLast ? memoryAtRest : async () => null));
      say(`warm: ${seconds(warm[round].total)} (${phaseText(warm[round].phases)})`);
    }
    const memory = warm.at(-1).seen;
    const sum = (key) => memory.reduce((all, one) => all + one[key], 0).toFixed(0);
    const each = PROCESSES.map((name) => memory.find((one) => one.name === name)).map(
      ({ name, rss, pss }) => `${name} ${rss.toFixed(0)} (${pss.toFixed(0)})`,
    );
    return [
      `cold start: ${seconds(cold.total)} (goal at most 45 s)`,
      `warm start, median of ${ROUNDS}: ${seconds(median(warm.map(({ total }) => total)))} (goal at most 4 s)`,
      `memory at rest: ${sum('rss')} MB resident (goal at most 330), ${sum('pss')} MB in proportion: ${each.join(', ')}`,
    ];
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
