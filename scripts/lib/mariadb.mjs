import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverDirectory, serverPath, serverUser, writePrivate } from './environment.mjs';
import { ask, freePort, isAlive, isProcess, startServer, stopProcess } from './processes.mjs';
import { Explained, say } from './progress.mjs';

const DATABASE = 'switchboard';

/** The greeting of the protocol says protocol version 10; an error packet (such as "too many connections") does not. */
const isUp = async (port) => (await ask(port, null)).charCodeAt(4) === 10;

const tail = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n') : '');

/** The SQL that makes MariaDB's system tables, from the server's share directory; null when it is not there. */
function systemTables(binary) {
  const bases = ['/usr/share', '/usr/local/share', resolve(dirname(binary), '../share')];
  for (const directory of bases.flatMap((base) => [join(base, 'mysql'), join(base, 'mariadb'), base])) {
    for (const prefix of ['mysql', 'mariadb']) {
      const files = ['system_tables', 'performance_tables', 'system_tables_data', 'sys_schema']
        .map((name) => join(directory, `${prefix}_${name}.sql`))
        .filter((file) => existsSync(file));
      if (files.some((file) => file.endsWith('system_tables.sql')))
        return files.map((file) => readFileSync(file, 'utf8'));
    }
  }
  return null;
}

/** Fills an empty data directory. The core packages bring no installer, so the SQL goes to the server's bootstrap mode. */
function initialise(binary, kind, data, log, user) {
  const options = { cwd: data, maxBuffer: 64 * 1024 * 1024, encoding: 'utf8', ...(user ?? {}) };
  let result;
  if (kind === 'mysql') {
    result = spawnSync(binary, ['--no-defaults', '--initialize-insecure', `--datadir=${data}`], options);
  } else {
    const sql = systemTables(binary);
    if (sql === null) throw new Explained(`The system tables (mariadb_system_tables.sql) of ${binary} were not found`);
    const input = ['create database if not exists mysql;', 'use mysql;', ...sql].join('\n');
    // a directory of its own for what is temporary, as when it runs: other servers would take its tables away
    const args = ['--no-defaults', '--bootstrap', `--datadir=${data}`, `--tmpdir=${temporaryOf(data)}`];
    result = spawnSync(binary, [...args, '--skip-networking'], { ...options, input });
  }
  writePrivate(log, `${result.stdout ?? ''}${result.stderr ?? ''}`);
  if (result.status !== 0 || !existsSync(join(data, 'mysql'))) {
    throw new Explained(`${binary} could not create its data directory:\n${tail(log)}`);
  }
}

/**
 * Run by the server at every start, before it listens: our user, and no other that could log in.
 * @param {boolean} measured whether our user may read the server's counters and change its settings
 * @param {string[]} statements more of them
 */
function initialSql(kind, password, measured, statements) {
  const lines = [
    `CREATE DATABASE IF NOT EXISTS ${DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;`,
    `CREATE USER IF NOT EXISTS 'switchboard'@'127.0.0.1' IDENTIFIED BY '${password}';`,
    `ALTER USER 'switchboard'@'127.0.0.1' IDENTIFIED BY '${password}';`,
    `GRANT ALL PRIVILEGES ON \`switchboard%\`.* TO 'switchboard'@'127.0.0.1';`,
  ];
  if (measured) lines.push(`GRANT PROCESS, SUPER ON *.* TO 'switchboard'@'127.0.0.1';`);
  lines.push(...statements);
  if (kind === 'mysql') lines.push(`ALTER USER 'root'@'localhost' IDENTIFIED BY '${randomBytes(24).toString('hex')}';`);
  else lines.push(`DELETE FROM mysql.global_priv WHERE User IN ('root', '');`, 'FLUSH PRIVILEGES;');
  return `${lines.join('\n')}\n`;
}

/** Faster, for data that is not kept: a crash of the machine may lose them. */
const UNSAFE = {
  mariadb: ['--innodb-flush-method=nosync', '--innodb-doublewrite=0', '--sync-frm=0'],
  mysql: ['--innodb-flush-method=O_DIRECT_NO_FSYNC', '--innodb-doublewrite=OFF'],
};

const temporaryOf = (data) => join(dirname(data), 'tmp');

function serverArguments(kind, data, init, port, durable, further) {
  return [
    '--no-defaults',
    `--datadir=${data}`,
    // of its own: a server that starts removes the temporary tables of all others that share its directory
    `--tmpdir=${temporaryOf(data)}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    // relative to the data directory: an absolute path may exceed the 107 characters of a socket's name
    '--socket=server.sock',
    '--pid-file=server.pid',
    `--init-file=${init}`,
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_bin',
    '--innodb-buffer-pool-size=256M',
    `--innodb-flush-log-at-trx-commit=${durable ? 1 : 0}`,
    ...(durable ? [] : UNSAFE[kind]),
    '--max-connections=300',
    '--max-allowed-packet=256M',
    ...(kind === 'mysql'
      ? ['--mysqlx=OFF', '--disable-log-bin', '--secure-file-priv=NULL']
      : ['--innodb-log-file-size=256M']),
    ...further,
  ];
}

const versionOf = (binary) => execFileSync(binary, ['--no-defaults', '--version'], { encoding: 'utf8' }).trim();

/**
 * Which server a program is, whatever its name: Debian's `mysqld` is a link to MariaDB.
 * @param {string} binary @returns {'mariadb' | 'mysql' | null} null when it does not tell its version
 */
export function databaseKind(binary) {
  try {
    return /mariadb/i.test(versionOf(binary)) ? 'mariadb' : 'mysql';
  } catch {
    return null;
  }
}

/**
 * When a private server of this kind last ran on this directory, in milliseconds; null when it has no data here.
 * @param {string} directory data directory of the checkout @param {'mariadb' | 'mysql'} kind
 */
export function lastRun(directory, kind) {
  const home = serverPath(directory, kind, serverUser());
  if (!existsSync(join(home, 'initialised'))) return null;
  const file = join(home, 'instance.json');
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

/**
 * Brings up a private MariaDB or MySQL. A server that a killed run left behind is taken over.
 * @param {string} binary mariadbd or mysqld
 * @param {string} directory data directory of the checkout
 * @param {{ durable?: boolean, measured?: boolean, args?: string[], env?: Record<string, string>, statements?: string[] }}
 * [options] durable: whether what is committed survives a crash of the machine; measured: for benchmarks, whose user reads the
 * server's counters and sizes its buffer pool; args and env: of the server, beside ours; statements: SQL that root says at
 * each start, one line each
 * @returns {Promise<{ url: string, pid: number, note: string, stop: () => Promise<void> }>}
 */
export async function startDatabase(binary, directory, options = {}) {
  const { durable = true, measured = false, args: further = [], env = {}, statements = [] } = options;
  const version = versionOf(binary);
  const kind = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
  const user = serverUser();
  const home = serverDirectory(directory, kind, user);
  const data = join(home, 'data');
  const log = join(home, 'server.log');
  const file = join(home, 'instance.json');
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const password = kept.password ?? randomBytes(24).toString('hex');
  const short = version.replace(/^.*Ver\s+/, '').replace(/\s+for .*$/, '');
  const describe = (pid, port, note) => ({
    url: `mysql://switchboard:${password}@127.0.0.1:${port}/${DATABASE}`,
    pid,
    note: `${kind === 'mysql' ? 'MySQL' : 'MariaDB'} ${short} on 127.0.0.1:${port}${note}`,
    stop: async () => {
      await stopProcess(pid, 60_000);
      writePrivate(file, JSON.stringify({ password, port }));
    },
  });
  if (kept.pid !== undefined && isProcess(kept.pid, data)) {
    if (await isUp(kept.port)) return describe(kept.pid, kept.port, ' (left by an earlier run, taken over)');
    await stopProcess(kept.pid, 60_000);
  }
  mkdirSync(data, { recursive: true, mode: 0o700 });
  mkdirSync(temporaryOf(data), { recursive: true, mode: 0o700 });
  if (user !== null) for (const place of [data, temporaryOf(data)]) chownSync(place, user.uid, user.gid);
  if (!existsSync(join(home, 'initialised'))) {
    for (const entry of readdirSync(data)) rmSync(join(data, entry), { recursive: true, force: true });
    say(`Creating a ${kind === 'mysql' ? 'MySQL' : 'MariaDB'} data directory in ${data}`);
    initialise(binary, kind, data, log, user);
    writePrivate(join(home, 'initialised'), `${version}\n`);
  }
  const init = join(home, 'init.sql');
  writePrivate(init, initialSql(kind, password, measured, statements));
  if (user !== null) chownSync(init, user.uid, user.gid);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? kept.port : undefined);
    writePrivate(log, '');
    const args = serverArguments(kind, data, init, port, durable, further);
    const child = startServer({ command: binary, args, cwd: data, log, user, env });
    writePrivate(file, JSON.stringify({ password, port, pid: child.pid }));
    const deadline = Date.now() + 90_000;
    while (isAlive(child.pid) && Date.now() < deadline) {
      if (await isUp(port)) return describe(child.pid, port, '');
      await sleep(50);
    }
    await stopProcess(child.pid, 1_000);
    // another program may have taken the port between our look and the server's start
    if (attempt >= 3 || !/address already in use|errno: 98/i.test(tail(log))) {
      throw new Explained(`${binary} did not start. The end of ${log}:\n${tail(log)}`);
    }
  }
}
