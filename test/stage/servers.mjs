/** A private MariaDB and a private Redis of a test's own, which it may kill, freeze and start again. */
import { installPackages, canInstallPackages, findProgram } from '../../scripts/lib/packages.mjs';
import { startDatabase } from '../../scripts/lib/mariadb.mjs';
import { isAlive, waitForEnd } from '../../scripts/lib/processes.mjs';
import { startRedis } from '../../scripts/lib/redis.mjs';

const PROGRAMS = {
  database: {
    names: ['mariadbd', 'mysqld'],
    packages: ['mariadb-server-core', 'mariadb-server'],
    start: startDatabase,
  },
  redis: { names: ['redis-server', 'valkey-server'], packages: ['redis-server', 'valkey-server'], start: startRedis },
};

/** Programs that this machine must have; as root on Debian they are installed. @param {string[][]} groups alternatives */
export async function ensurePrograms(names, groups) {
  if (names.every((name) => findProgram(name) !== null)) return;
  if (!canInstallPackages() || !(await installPackages(groups))) {
    throw new Error(`${names.join(', ')} were not found: install ${groups.map((group) => group[0]).join(', ')}`);
  }
}

/** A server that is killed and started again with the same data. */
class PrivateServer {
  #kind;
  #options;
  #instance = null;

  /**
   * @param {'database' | 'redis'} kind @param {string} directory of this server alone
   * @param {{ args?: string[], env?: Record<string, string>, settings?: string[] }} options further ones of the program
   */
  constructor(kind, directory, options = {}) {
    this.#kind = kind;
    this.directory = directory;
    this.#options = { durable: true, measured: true, ...options };
  }

  /** Starts it, or starts it again; the port stays where it can. @param options replace those of the last start */
  async start(options = {}) {
    const { names, packages, start } = PROGRAMS[this.#kind];
    if (findProgram(...names) === null) await ensurePrograms([names[0]], [packages]);
    Object.assign(this.#options, options);
    this.#instance = await start(findProgram(...names), this.directory, this.#options);
    return this;
  }

  get url() {
    return this.#instance.url;
  }

  get pid() {
    return this.#instance.pid;
  }

  get target() {
    return { host: '127.0.0.1', port: Number(new URL(this.url).port) };
  }

  get isAlive() {
    return isAlive(this.pid);
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

  async stop() {
    if (this.#instance === null || !this.isAlive) return;
    this.thaw();
    await this.#instance.stop();
  }
}

/** MariaDB with durable settings. */
export const privateDatabase = (directory, options) => new PrivateServer('database', directory, options).start();

/** Redis with an append-only file. */
export const privateRedis = (directory, options) => new PrivateServer('redis', directory, options).start();
