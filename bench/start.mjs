import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { knownVariables, ROOT } from '../scripts/lib/environment.mjs';
import { counted, median, megabytes, size } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage } from './stage.mjs';

const ROUNDS = size('START_ROUNDS', 5);
const IDLE_SECONDS = size('IDLE_SECONDS', 30);
/** After that long a process has given back what its start took, and does what it does at rest. */
const SETTLED_MS = 8_000;
const PROCESSES = ['api', 'worker', 'sandbox'];
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** One `npm start` in a checkout, with servers and data of its own: its phases, and what `look` sees of its processes. */
async function startOnce(root, directory, look = () => null) {
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
    return {
      total,
      phases,
      seen: await look(JSON.parse(readFileSync(join(directory, 'start.lock'), 'utf8')).children),
    };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
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
 * How long `npm start` takes until it is ready, phase by phase. Cold: a fresh checkout whose packages lie in npm's cache; the
 * programs of the servers are there. Warm: nothing has changed since.
 */
export async function benchStart(_environment, say) {
  const fresh = freshCheckout();
  const directory = join(fresh, '.data');
  try {
    const cold = await startOnce(fresh, directory);
    say(`cold: ${seconds(cold.total)} (${phaseText(cold.phases)})`);
    const warm = [];
    for (let round = 0; round < ROUNDS; round++) {
      warm.push(await startOnce(fresh, directory));
      say(`warm: ${seconds(warm[round].total)} (${phaseText(warm[round].phases)})`);
    }
    const typical = median(warm.map(({ total }) => total));
    return [
      verdict('cold start, seconds', cold.total / 1_000, 'at most 45'),
      verdict('warm start, seconds', typical / 1_000, 'at most 4', `median of ${ROUNDS}`),
    ];
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** What the processes of `npm start` hold at rest. */
async function memoryAtRest(say) {
  const directory = mkdtempSync(join(tmpdir(), 'switchboard-idle-'));
  const look = async (children) => {
    await sleep(SETTLED_MS);
    return PROCESSES.map((name) => {
      const { pid } = children.find((child) => child.name === name);
      return { name, rss: megabytes(pid), pss: megabytes(pid, 'Pss', 'smaps_rollup') };
    });
  };
  try {
    const { seen } = await startOnce(ROOT, directory, look);
    const sum = (key) => seen.reduce((all, one) => all + one[key], 0);
    const each = seen.map(({ name, rss, pss }) => `${name} ${rss.toFixed(0)} (${pss.toFixed(0)})`).join(', ');
    say(`at rest: ${each} MB resident (in proportion)`);
    const name = 'idle memory of API, worker and sandbox, MB';
    return verdict(name, sum('rss'), 'at most 330', `${sum('pss').toFixed(0)} MB in proportion: ${each}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Statements a second of one process that has nothing to do. */
async function statementsAtRest(set, name, say) {
  const application = await set.start(name);
  await sleep(SETTLED_MS);
  const { statements, commits, seconds: passed } = await counted(set.pool, () => sleep(IDLE_SECONDS * 1_000, 0));
  await application.stop();
  const rate = statements / passed;
  say(`${name}: ${rate.toFixed(1)} statements a second`);
  const text = `${(commits / passed).toFixed(2)} durable commits a second, over ${IDLE_SECONDS} s`;
  return verdict(`idle ${name}, statements a second`, rate, 'at most 5', text);
}

/** What processes cost that have nothing to do: statements a second of an API and of a worker, and memory. */
export const benchIdle = onStage(async (set, say) => [
  await statementsAtRest(set, 'api', say),
  await statementsAtRest(set, 'worker', say),
  await memoryAtRest(say),
]);
