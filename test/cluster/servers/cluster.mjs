/** What clusters of a database have in common: nodes on 127.0.0.1, with ports and data of their own, that fail and come back. */
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { serverUser } from '../../../scripts/lib/environment.mjs';
import { isAlive, startServer, stopProcess, waitForEnd } from '../../../scripts/lib/processes.mjs';

export const NODES = ['a', 'b', 'c'];
/** the user by whom the proxy asks a node for its state: it may log in, and read that */
export const CHECK_USER = 'haproxy';
const STATE_MS = 120_000;

/** One statement on a connection of its own. */
export async function queryOnce(url, sql, values) {
  const connection = await mysql.createConnection(url);
  try {
    return (await connection.query(sql, values))[0];
  } finally {
    await connection.end();
  }
}

/** The same server, another database. */
export function databaseUrl(url, name) {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** The same user and database by another port. */
export function atPort(url, port) {
  const own = new URL(url);
  own.port = String(port);
  return own.href;
}

/** One member of a cluster. */
export class Node {
  /** @param {{ name: string, home: string, data: string, port: number, url: string }} own and what its kind adds */
  constructor(own) {
    Object.assign(this, own);
    this.child = null;
    this.isFrozen = false;
  }

  get isAlive() {
    return this.child !== null && isAlive(this.child.pid);
  }

  get log() {
    return join(this.home, 'log');
  }

  /** Directories that the server's user owns. @param {object | null} user */
  prepare(user) {
    for (const path of [this.home, this.data, join(this.home, 'tmp')]) {
      mkdirSync(path, { recursive: true });
      if (user !== null) chownSync(path, user.uid, user.gid);
    }
  }

  /** What servers of both kinds are started with. */
  get commonArgs() {
    return [
      '--no-defaults',
      `--datadir=${this.data}`,
      `--tmpdir=${join(this.home, 'tmp')}`,
      `--port=${this.port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--socket=server.sock',
      `--pid-file=${join(this.home, 'pid')}`,
      '--character-set-server=utf8mb4',
      '--collation-server=utf8mb4_bin',
      '--max-connections=300',
      '--max-allowed-packet=256M',
      '--innodb-buffer-pool-size=256M',
    ];
  }

  /** Starts the server, and answers when it is so. @param {() => Promise<boolean>} isReady */
  async launch(command, args, isReady) {
    this.child = startServer({ command, args, cwd: this.home, log: this.log, user: serverUser() });
    await this.until(isReady);
  }

  /** @param {() => Promise<boolean>} isSo a refusal says no */
  async until(isSo) {
    for (const end = Date.now() + STATE_MS; !(await isSo().catch(() => false)); await sleep(100)) {
      if (this.isAlive && Date.now() < end) continue;
      throw new Error(
        `node ${this.name} is not ready:\n${readFileSync(this.log, 'utf8').split('\n').slice(-40).join('\n')}`,
      );
    }
  }

  /** Ends the server at once, as a machine that loses its power. */
  async kill() {
    process.kill(this.child.pid, 'SIGKILL');
    await waitForEnd(this.child.pid, 10_000);
  }

  /** The server stands still, and its connections stay. */
  freeze() {
    this.isFrozen = true;
    process.kill(this.child.pid, 'SIGSTOP');
  }

  thaw() {
    this.isFrozen = false;
    process.kill(this.child.pid, 'SIGCONT');
  }

  async stop() {
    if (!this.isAlive) return;
    this.thaw();
    await stopProcess(this.child.pid, 60_000);
  }
}

/**
 * A cluster behind a proxy. Kinds say how a node starts (`restart`), which one writes (`writer`), whether one is in step
 * (`isInStep`), which `proxy` stands before it, how a session reads all that any node has answered (`causal`), and how that is
 * left out (`readEarly`), and what a session says so that a node applies no campaign while it lasts (`stopApplying`).
 */
export class Cluster {
  constructor(nodes) {
    this.nodes = nodes;
  }

  /** The nodes begin one after another: the first is the cluster, the others join it. */
  async start() {
    for (const node of this.nodes) await this.restart(node);
    return this;
  }

  /** Nodes that do not write now. */
  async readers() {
    const writer = await this.writer();
    return this.nodes.filter((node) => node !== writer);
  }

  /** Waits until this node is part of the cluster again. */
  inStep(node) {
    return node.until(() => this.isInStep(node));
  }

  /** Every node lives and is in step, however the last row left them. */
  async heal() {
    for (const node of this.nodes) {
      if (!node.isAlive) await this.restart(node);
      node.thaw();
      await this.inStep(node);
    }
  }

  async stop() {
    // all at once, and killed if need be: nothing of this cluster is kept
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
