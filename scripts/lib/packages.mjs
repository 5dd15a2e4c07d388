import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './processes.mjs';
import { say } from './progress.mjs';

const POLICY = '/usr/sbin/policy-rc.d';
const MORE_DIRECTORIES = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/libexec',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/mariadb/bin',
  '/opt/homebrew/opt/mysql/bin',
  '/usr/local/mysql/bin',
];

/** Full paths of all programs of these names on PATH and in the directories where servers live, by name, then by directory. */
export function findPrograms(...names) {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...MORE_DIRECTORIES];
  const paths = names.flatMap((name) => directories.filter((each) => each !== '').map((each) => join(each, name)));
  return [...new Set(paths)].filter((path) => existsSync(path));
}

/** Full path of the first of them, null when none is there. */
export const findProgram = (...names) => findPrograms(...names)[0] ?? null;

/** True when we may and can install Debian packages. */
export const canInstallPackages = () => process.getuid?.() === 0 && findProgram('apt-get') !== null;

const isKnown = (name) => {
  const answer = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8' });
  return /^\s+Candidate: \S*\d/m.test(answer.stdout ?? '');
};

/**
 * Installs the first known package of each group without starting its service: invoke-rc.d asks policy-rc.d, and with
 * 101 it leaves the service alone. A policy of the machine's owner stays as it is.
 * @param {string[][]} groups alternatives, the preferred one first
 * @returns {Promise<boolean>} false when a group has no package here
 */
export async function installPackages(groups) {
  const choose = () => groups.map((group) => group.find(isKnown));
  let names = choose();
  if (names.includes(undefined)) {
    say('Fetching the package lists (apt-get update)');
    await run('apt-get', ['update', '-q']);
    names = choose();
  }
  if (names.includes(undefined)) return false;
  say(`Installing ${names.join(' and ')} (without starting system services)`);
  const ours = !existsSync(POLICY);
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = () =>
      run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], { env: environment });
    try {
      await install();
    } catch {
      // lists that are older than the archive name files that are no longer there
      await run('apt-get', ['update', '-q']);
      await install();
    }
  } finally {
    if (ours) rmSync(POLICY, { force: true });
  }
  if (findProgram('systemctl') !== null) {
    // the packages switch their services on for the next boot, which was not asked for
    for (const unit of ['mariadb', 'redis-server', 'valkey-server', 'prometheus', 'kannel']) {
      if (names.some((name) => name.startsWith(unit))) spawnSync('systemctl', ['disable', '--quiet', unit]);
    }
  }
  return true;
}
