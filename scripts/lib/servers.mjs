import { canCompose, composeServers } from './compose.mjs';
import { startDatabase } from './mariadb.mjs';
import { canInstallPackages, findProgram, installPackages } from './packages.mjs';
import { Explained, say } from './progress.mjs';
import { startRedis } from './redis.mjs';

const findDatabase = () => findProgram('mariadbd', 'mysqld');
const findRedis = () => findProgram('redis-server', 'valkey-server');

const MISSING = `No MySQL/MariaDB or no Redis was found, and none could be installed. One of these helps:
  - install them: "apt install mariadb-server redis-server" (Debian, Ubuntu), "brew install mariadb redis" (macOS);
    the system services need not run, only the programs are used
  - point to servers that run already: DATABASE_URL=mysql://user:password@host:3306/name REDIS_URL=redis://host:6379
  - install Docker with the compose plugin`;

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
 * @param {{ durable?: boolean, measured?: boolean }} [options] durable: false for data that is not kept; measured: for
 * benchmarks, see `startDatabase`
 * @returns {Promise<{ DATABASE_URL: string, REDIS_URL: string }>}
 */
export async function ensureServers(environment, directory, onStarted, options = {}) {
  const urls = { DATABASE_URL: environment.DATABASE_URL, REDIS_URL: environment.REDIS_URL };
  for (const [name, url] of Object.entries(urls)) {
    if (url !== undefined) say(`Using ${name} ${withoutPassword(name, url)}`);
  }
  const wanted = () => [
    ...(urls.DATABASE_URL === undefined && findDatabase() === null ? ['mariadb'] : []),
    ...(urls.REDIS_URL === undefined && findRedis() === null ? ['redis'] : []),
  ];
  if (wanted().length > 0 && canInstallPackages()) {
    const groups = {
      mariadb: ['mariadb-server-core', 'mariadb-server', 'mysql-server-core-8.4', 'mysql-server-core-8.0'],
      redis: ['redis-server', 'valkey-server'],
    };
    await installPackages(wanted().map((name) => groups[name])).catch((error) => say(error.message));
  }
  if (wanted().length > 0) {
    if (!canCompose()) throw new Explained(MISSING);
    say(`Starting ${wanted().join(' and ')} with docker compose`);
    const composed = await composeServers(directory, wanted());
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
    urls.DATABASE_URL ?? startDatabase(findDatabase(), directory, options).then(started),
    urls.REDIS_URL ?? startRedis(findRedis(), directory, options).then(started),
  ]);
  if (database.status === 'rejected') throw database.reason;
  if (redis.status === 'rejected') throw redis.reason;
  return { DATABASE_URL: database.value, REDIS_URL: redis.value };
}
