/** A redis-server on a loopback port, of a test's own, which it may kill, freeze and start again. */
import { spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { serverUser } from '../../scripts/lib/environment.mjs';
import { isAlive, waitForEnd } from '../../scripts/lib/processes.mjs';

export const PASSWORD = 'of-a-test';
const PATIENCE_MS = 60_000;
/** Of a question that is asked again, and of a command that is said once: a machine may be busy for that long. */
const ASKED_MS = 1_000;
const TOLD_MS = 30_000;
/** A port and its cluster's second port, 10,000 above, stay below those that the system gives to outgoing connections (32,768). */
const PORTS = { least: 15_000, most: 22_000 };

/** Waits until a question is answered with something true. */
export async function until(what, ask) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${what} did not come about within ${PATIENCE_MS / 1000} s`);
    await sleep(50);
  }
}

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

/** Free ports, with a free one 10,000 above each: there nodes of a cluster talk with each other. */
export async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = PORTS.least + Math.floor(Math.random() * (PORTS.most - PORTS.least));
    if (!ports.has(port) && (await isFree(port)) && (await isFree(port + 10_000))) ports.add(port);
  }
  return [...ports];
}

/** A redis-server, which keeps port and data when it starts again. */
export class RedisNode {
  #program;
  #child = null;

  /** @param {string} program @param {string} directory of this server alone @param {number} port @param {string[]} settings */
  constructor(program, directory, port, settings, { isSentinel = false, tls } = {}) {
    this.#program = program;
    this.directory = directory;
    this.port = port;
    this.isSentinel = isSentinel;
    this.tls = tls;
    this.user = serverUser();
    mkdirSync(directory, { recursive: true });
    const listening = tls
      ? ['port 0', `tls-port ${port}`, `tls-cert-file ${tls.cert}`, `tls-key-file ${tls.key}`, `tls-ca-cert-file ${tls.cert}`, 'tls-auth-clients no', 'tls-replication yes', 'tls-cluster yes'] // prettier-ignore
      : [`port ${port}`];
    const lines = ['bind 127.0.0.1', ...listening, `dir ${directory}`, `requirepass ${PASSWORD}`, 'daemonize no'];
    this.file = join(directory, 'redis.conf');
    writeFileSync(this.file, `${[...lines, ...settings].join('\n')}\n`);
    for (const path of this.user === null ? [] : [directory, this.file]) chownSync(path, this.user.uid, this.user.gid);
  }

  get password() {
    return PASSWORD;
  }

  get pid() {
    return this.#child?.pid;
  }

  /** Starts it without waiting. */
  launch() {
    const log = openSync(join(this.directory, 'server.log'), 'a');
    this.#child = spawn(this.#program, [this.file, ...(this.isSentinel ? ['--sentinel'] : [])], {
      cwd: this.directory,
      stdio: ['ignore', log, log],
      ...(this.user ?? {}),
    });
    closeSync(log);
  }

  async start() {
    this.launch();
    await until(`redis-server on port ${this.port} (${this.log()})`, async () => {
      if (!isAlive(this.pid)) throw new Error(this.log());
      return (await this.ask('PING')) === 'PONG';
    });
    return this;
  }

  log() {
    return readFileSync(join(this.directory, 'server.log'), 'utf8').split('\n').slice(-5).join(' ');
  }

  /** Asks what is asked again when no answer comes at once, as of a frozen node. */
  ask(...command) {
    return this.#send(command, ASKED_MS);
  }

  /** Says what may be said only once. */
  tell(...command) {
    return this.#send(command, TOLD_MS);
  }

  /** Over a connection of its own. */
  async #send(command, patience) {
    const client = new Redis({
      host: '127.0.0.1',
      port: this.port,
      password: PASSWORD,
      ...(this.tls && { tls: { ca: readFileSync(this.tls.cert) } }),
      enableReadyCheck: false,
      lazyConnect: true,
      retryStrategy: null,
      connectTimeout: patience,
      commandTimeout: patience,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(...command);
    } finally {
      client.disconnect();
    }
  }

  async kill() {
    process.kill(this.pid, 'SIGKILL');
    await waitForEnd(this.pid, 10_000);
  }

  freeze() {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw() {
    process.kill(this.pid, 'SIGCONT');
  }
}
