import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/environment.mjs';
import { until } from './client.mjs';

const READY_WITHIN_MS = 90_000;
const PORTS = { worker: 'WORKER_PORT', sandbox: 'SANDBOX_PORT' };

/** Whatever a test was started with does not reach the applications. */
const plain = (environment) => ({ PATH: process.env.PATH, HOME: process.env.HOME, ...environment });

/** Migrates and seeds. */
export async function prepare(environment, root = ROOT) {
  const options = { cwd: root, env: plain(environment), stdio: ['ignore', 'pipe', 'pipe'] };
  const child = spawn(process.execPath, [join(root, 'dist/src/apps/api/prepare.js')], options);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`prepare ended with ${code}:\n${said}`);
}

/** One process of the built service, under the signals of a test. */
export class App {
  #child = null;

  /**
   * @param {'api' | 'worker' | 'sandbox' | 'front'} kind
   * @param {{ name?: string, environment: Record<string, string>, logs: string, root?: string, options?: string[],
   * program?: string }} options environment has the port of its kind; root: the checkout whose build it runs; options of
   * Node; program: another one than that of its kind
   */
  constructor(
    kind,
    { name = kind, environment, logs, root = ROOT, options = [], program = `dist/src/apps/${kind}/main.js` },
  ) {
    Object.assign(this, { kind, name, environment, root });
    this.arguments = [...options, join(root, program)];
    this.logFile = join(logs, `${name}.log`);
    this.url = `http://127.0.0.1:${environment[PORTS[kind] ?? 'PORT']}`;
  }

  get pid() {
    return this.#child?.pid;
  }

  get isAlive() {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What it has said since the stage was opened. */
  get log() {
    return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
  }

  /** Starts it, or starts it again, and waits until it serves. @param environment replaces variables of the last start */
  async start(environment = {}) {
    await this.launch(environment).ready();
    return this;
  }

  /** Starts it without waiting. */
  launch(environment = {}) {
    Object.assign(this.environment, environment);
    const log = openSync(this.logFile, 'a');
    // a group of its own: Ctrl-C at the terminal reaches it through us, and in order
    this.#child = spawn(process.execPath, this.arguments, {
      cwd: this.root,
      env: plain(this.environment),
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    return this;
  }

  async ready(withinMs = READY_WITHIN_MS) {
    const path = this.url + (this.kind === 'sandbox' ? '/ledger' : '/health/live');
    const ask = async () => {
      if (!this.isAlive) throw new Error(`${this.name} ended:\n${this.log.slice(-4_000)}`);
      return fetch(path, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await until(ask, Boolean, { everyMs: 100, withinMs });
  }

  signal(signal) {
    if (this.isAlive) process.kill(this.pid, signal);
  }

  /** It stands still, as a machine that swaps or a container that is paused. */
  freeze() {
    this.signal('SIGSTOP');
  }

  thaw() {
    this.signal('SIGCONT');
  }

  kill() {
    return this.stop('SIGKILL');
  }

  /** @returns the exit code; null when a signal ended it */
  async stop(signal = 'SIGTERM') {
    if (!this.isAlive) return this.#child?.exitCode ?? null;
    const exit = once(this.#child, 'exit');
    this.signal(signal);
    // one that stands still hears only SIGKILL
    if (signal !== 'SIGKILL') this.thaw();
    const [code] = await exit;
    return code;
  }

  /** SIGTERM, and SIGKILL if that is not enough. */
  async end(graceMs = 20_000) {
    const timer = setTimeout(() => this.signal('SIGKILL'), graceMs);
    await this.stop().finally(() => clearTimeout(timer));
  }
}
