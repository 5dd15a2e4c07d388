import { canCompose, composeServers } from './compose.mjs';
import { serverPath, serverUser } from './environment.mjs';
import { databaseKind, lastRun, startDatabase } from './mariadb.mjs';
import { canInstallPackages, findProgram, findPrograms, installPackages } from './packages.mjs';
import { Explained, say } from './progress.mjs';
import { startRedis } from './redis.mjs';

/** Debian's and Ubuntu's packages of each server, the preferred one first. */
const PACKAGES = {
  mariadb: ['mariadb-server-core', 'mariadb-server'],
  mysql: ['mysql-server-core-8.4', 'mysql-server-core-8.0', 'mysql-server-core'],
  redis: ['redis-server', 'valkey-server'],
};
const NAMES = { mariadb: 'MariaDB', mysql: 'MySQL' };

/** The first real MySQL of this machine; null without one. */
export const findMysql = () => findPrograms('mysqld').find((path) => databaseKind(path) === 'mysql') ?? null;
const findMariadb = () => findPrograms('mariadbd', 'mysqld').find((path) => databaseKind(path) === 'mariadb') ?? null;
const findRedis = () => findProgram('redis-server', 'valkey-server');

/**
 * Which server a private database runs on: the one whose data are here, so that nobody's data vanish when another server is
 * installed; else the preferred one, where the machine has it; else the other one.
 * @param {{ mariadb: string | null, mysql: string | null }} programs paths
 * @param {{ mariadb: number | null, mysql: number | null }} ran when each last ran on data that are kept here
 * @param {'mariadb' | 'mysql'} preferred
 * @returns {{ kind: 'mariadb' | 'mysql' | null, program: string | null, hasData: boolean }} kind null: any server will do
 */
export function chooseDatabase(programs, ran, preferred) {
  const kinds = preferred === 'mysql' ? ['mysql', 'mariadb'] : ['mariadb', 'mysql'];
  const [latest] = kinds.filter((kind) => ran[kind] !== null).sort((a, b) => ran[b] - ran[a]);
  if (latest !== undefined) return { kind: latest, program: programs[latest], hasData: true };
  const kind = kinds.find((each) => programs[each] !== null) ?? null;
  return { kind, program: kind === null ? null : programs[kind], hasData: false };
}

/** The choice for this machine. Data that are not durable bind nobody. */
function databaseHere(directory, { durable = true, preferred = 'mariadb' }) {
  const ran = (kind) => (durable ? lastRun(directory, kind) : null);
  const programs = { mariadb: findMariadb(), mysql: findMysql() };
  return chooseDatabase(programs, { mariadb: ran('mariadb'), mysql: ran('mysql') }, preferred);
}

/**
 * The servers that are missing here, each with the packages that bring it.
 * @param {Record<string, string>} environment @param {string} directory @param {Parameters<typeof ensureServers>[3]} options
 * @returns {{ name: 'database' | 'redis', packages: string[] }[]}
 */
export function missingServers(environment, directory, options = {}) {
  const missing = [];
  if (environment.DATABASE_URL === undefined) {
    const { kind, program } = databaseHere(directory, options);
    const packages = kind === null ? [...PACKAGES.mariadb, ...PACKAGES.mysql] : PACKAGES[kind];
    if (program === null) missing.push({ name: 'database', packages });
  }
  if (environment.REDIS_URL === undefined && findRedis() === null)
    missing.push({ name: 'redis', packages: PACKAGES.redis });
  return missing;
}

const MISSING = `No MySQL/MariaDB or no Redis was found, and none could be installed. One of these helps:
  - install them: "apt install mariadb-server redis-server" (Debian, Ubuntu), "brew install mariadb redis" (macOS);
    the system services need not run, only the programs are used
  - point to servers that run already: DATABASE_URL=mysql://user:password@host:3306/name REDIS_URL=redis://host:6379
  - install Docker with the compose plugin`;

const withoutProgram = (directory, kind) =>
  `The data in ${directory} are those of ${NAMES[kind]}, which was not found and could not be installed. Install it ` +
  `("apt install ${PACKAGES[kind][0]}"), or move ${serverPath(directory, kind, serverUser())} away to begin with empty data.`;

/** The address of a server without its credentials. */
function withoutPassword(name, address) {
  try {
    const url = new URL(address);
    return `${url.protocol}//${url.host}${url.pathname}`;
  } catch {
    throw new Explained(`${name} is not a URL`);
  }
}

/**
 * Finds or brings up the database and Redis, in the order of reference/running#servers: the URLs of the environment,
 * programs of this machine, Debian packages, docker compose.
 * @param {Record<string, string>} environment
 * @param {string} directory where private servers keep their data
 * @param {(stop: () => Promise<void>) => void} onStarted is told how to stop each server as soon as it runs
 * @param {{ durable?: boolean, measured?: boolean, preferred?: 'mariadb' | 'mysql', data?: string }} [options] durable: false for
 * data that is not kept; measured: for benchmarks, see `startDatabase`; preferred: where the machine has both; data: where a
 * private database keeps its data instead
 * @returns {Promise<{ DATABASE_URL: string, REDIS_URL: string }>}
 */
export async function ensureServers(environment, directory, onStarted, options = {}) {
  const urls = { DATABASE_URL: environment.DATABASE_URL, REDIS_URL: environment.REDIS_URL };
  for (const [name, url] of Object.entries(urls)) {
    if (url !== undefined) say(`Using ${name} ${withoutPassword(name, url)}`);
  }
  const missing = () => missingServers(urls, directory, options);
  if (missing().length > 0 && canInstallPackages()) {
    await installPackages(missing().map(({ packages }) => packages)).catch((error) => say(error.message));
  }
  const wanted = missing().map(({ name }) => (name === 'database' ? 'mariadb' : name));
  if (wanted.length > 0) {
    const { kind, hasData } = urls.DATABASE_URL === undefined ? databaseHere(directory, options) : {};
    if (wanted.includes('mariadb') && hasData) throw new Explained(withoutProgram(directory, kind));
    if (!canCompose()) throw new Explained(MISSING);
    say(`Starting ${wanted.join(' and ')} with docker compose`);
    const composed = await composeServers(directory, wanted);
    onStarted(composed.stop);
    urls.DATABASE_URL ??= composed.urls.mariadb;
    urls.REDIS_URL ??= composed.urls.redis;
  }
  const started = async (server) => {
    onStarted(server.stop);
    say(server.note);
    return server.url;
  };
  // one after the other has no use: they know nothing of each other
  const [database, redis] = await Promise.allSettled([
    urls.DATABASE_URL ??
      startDatabase(databaseHere(directory, options).program, options.data ?? directory, options).then(started),
    urls.REDIS_URL ?? startRedis(findRedis(), directory, options).then(started),
  ]);
  if (database.status === 'rejected') throw database.reason;
  if (redis.status === 'rejected') throw redis.reason;
  return { DATABASE_URL: database.value, REDIS_URL: redis.value };
}
