/**
 * MySQL from Debian's unstable suite, for tests on a machine that has none. Debian's stable suites have MariaDB only. The
 * server and its libraries lie in a directory of their own and run with their own loader, so nothing is installed on the
 * system, and no root is needed. They are kept for the next run and for other checkouts of the same user.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync } from 'node:fs';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { debianEntry, readAptSources, sourcesFile } from './apt-sources.mjs';
import { everybodyReaches, serverUser } from './environment.mjs';
import { findProgram } from './packages.mjs';
import { run } from './processes.mjs';
import { Explained, say } from './progress.mjs';

const SUITE = 'sid';
const PACKAGE = 'mysql-server-core';

/** About 60 MB are fetched: 10 s on a good line. */
const FETCH_WITHIN_MS = 300_000;

/** Starts the server with its own loader and libraries, wherever the directory lies. Options come first: `--no-defaults` has to. */
const LAUNCHER = `#!/bin/sh
here=$(dirname "$0")
for libraries in "$here"/usr/lib/*-linux-gnu*; do break; done
for loader in "$libraries"/ld-linux*.so.*; do break; done
exec "$loader" --library-path "$libraries" "$here/usr/sbin/mysqld" "$@" --basedir="$here/usr"
`;

/** Where the server is kept: the user's cache, or the system's where the server's own user cannot reach that one. */
export function mysqlDirectory(environment = process.env) {
  const own = join(environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache'), 'switchboard');
  const base = serverUser() !== null && !everybodyReaches(own) ? '/var/cache/switchboard' : own;
  return join(base, `mysql-server-${process.arch}`);
}

const launcherIn = (directory) => join(directory, 'mysqld');

/** Path of the launcher of a server that was fetched before; null when there is none. */
export function keptMysql(directory = mysqlDirectory()) {
  return existsSync(launcherIn(directory)) ? launcherIn(directory) : null;
}

/** Why this machine cannot fetch Debian's server; null when it can. */
export function whyNoDebianMysql() {
  if (findProgram('apt-get') === null || findProgram('dpkg-deb') === null)
    return 'this is no Debian (apt-get and dpkg-deb)';
  if (debianEntry(readAptSources()) === null) return 'the sources of apt name no mirror of Debian';
  return null;
}

/**
 * Fetches the server if it is not there yet. The directory appears under its name when all of it is there and the server
 * has told its version, so a download that was cut is never taken for a server.
 * @returns {Promise<string>} path of a program that is called like `mysqld`; rejects with `Explained`, which says why not
 */
export async function ensureDebianMysql(directory = mysqlDirectory()) {
  const kept = keptMysql(directory);
  if (kept !== null) return kept;
  const reason = whyNoDebianMysql();
  if (reason !== null) throw new Explained(reason);
  say(`Fetching ${PACKAGE} of Debian ${SUITE} into ${directory} (60 MB, once)`);
  mkdirSync(dirname(directory), { recursive: true });
  const work = mkdtempSync(`${directory}.`);
  chmodSync(work, 0o755);
  const log = join(work, 'fetch.log');
  try {
    await fetchInto(work, log);
    const text = `${readFileSync(log, 'utf8')}`;
    if (!/Ver \d/.test(text) || /mariadb/i.test(text.slice(text.lastIndexOf('Ver ')))) throw new Error('no MySQL came');
    rmSync(log);
    // Another run may have been faster; then its server is as good.
    if (!existsSync(directory)) renameSync(work, directory);
    return launcherIn(directory);
  } catch (error) {
    const said = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-6).join('\n') : '';
    throw new Explained(`${PACKAGE} could not be fetched: ${error.message}${said === '' ? '' : `\n${said}`}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function fetchInto(work, log) {
  const deadline = Date.now() + FETCH_WITHIN_MS;
  const output = openSync(log, 'a');
  const step = (command, args, env = {}) =>
    run(command, args, {
      stdio: ['ignore', output, output],
      env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive', ...env },
      timeout: Math.max(1, deadline - Date.now()),
    });
  const apt = join(work, 'apt');
  try {
    for (const place of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, place), { recursive: true });
    writeFileSync(join(apt, 'debian.sources'), sourcesFile(debianEntry(readAptSources()), SUITE));
    writeFileSync(join(apt, 'status'), ''); // nothing is installed, so the libraries come too
    const settings = {
      'Dir::State': apt,
      'Dir::State::lists': join(apt, 'lists'),
      'Dir::State::status': join(apt, 'status'),
      'Dir::Cache': apt,
      'Dir::Cache::archives': join(apt, 'archives'),
      'Dir::Etc::sourcelist': join(apt, 'debian.sources'),
      'Dir::Etc::sourceparts': '-',
      'Dir::Etc::preferences': '-',
      'Dir::Etc::preferencesparts': '-',
      'APT::Sandbox::User': '',
      'Acquire::Languages': 'none',
      'Acquire::Retries': '2',
      'Acquire::http::Timeout': '20',
      'Acquire::https::Timeout': '20',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    await step('apt-get', [...options, '-q', 'update']);
    await step('apt-get', [...options, '-q', '-y', '--download-only', '--no-install-recommends', 'install', PACKAGE]);
    const packages = readdirSync(join(apt, 'archives')).filter(
      (file) => file.endsWith('.deb') && !/^(lib)?perl/.test(file),
    );
    for (const file of packages) await step('dpkg-deb', ['-x', join(apt, 'archives', file), work]);
    rmSync(apt, { recursive: true });
    writeFileSync(launcherIn(work), LAUNCHER, { mode: 0o755 });
    await step(launcherIn(work), ['--no-defaults', '--version']);
  } finally {
    closeSync(output);
  }
}
