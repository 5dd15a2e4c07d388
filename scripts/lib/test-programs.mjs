import { existsSync } from 'node:fs';
import { keptMysql, mysqlDirectory, whyNoDebianMysql } from './debian-mysql.mjs';
import { canInstallPackages, findProgram, installPackages } from './packages.mjs';
import { say } from './progress.mjs';
import { findMysql } from './servers.mjs';

/**
 * Programs that tests alone need: by which names, with which files, of which packages, what for, and what is not as it should be
 * without one. The keys are those of `--without`, where tests can do without the program.
 */
const PROGRAMS = {
  browser: {
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium'],
    why: 'the web application is tried in it',
    without: 'the browser tests are left out',
  },
  chart: {
    names: ['go'],
    files: ['/usr/share/gocode/src/github.com/Masterminds/sprig'],
    packages: ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-gopkg-yaml.v3-dev'],
    why: 'the Helm chart is rendered with Go and sprig',
    without: 'the Helm chart is not rendered',
  },
  observability: {
    names: ['promtool'],
    packages: ['prometheus'],
    why: 'promtool tries the alert rules',
    without: 'the alert rules are not tried',
  },
  kannel: {
    names: ['bearerbox', 'smsbox'],
    files: ['/usr/lib/kannel/test/drive_smpp'],
    packages: ['kannel', 'kannel-extras'],
    why: 'SMPP and gateways are tried with it',
    without: 'the contract tests with Kannel are left out',
  },
  copies: {
    names: ['mariadb-dump', 'mysqldump'],
    packages: ['mariadb-client'],
    why: 'backup and restore are tried with it',
    without: 'the tests of copies will fail',
  },
};

export const TEST_PROGRAMS = Object.keys(PROGRAMS);

const isThere = ({ names, files = [] }) => findProgram(...names) !== null && files.every((file) => existsSync(file));

/**
 * Makes sure of one, where it may be installed.
 * @param {keyof typeof PROGRAMS} name
 * @returns {Promise<string | null>} what is left out without it; null when it is there
 */
export async function ensureTestProgram(name) {
  const program = PROGRAMS[name];
  const { names, files = [], packages, without } = program;
  if (isThere(program)) return null;
  if (canInstallPackages()) await installPackages(packages.map((each) => [each])).catch((error) => say(error.message));
  if (isThere(program)) return null;
  const what = [names[0], ...files].join(' and ');
  return `${without}: ${what} was not found and could not be installed. Try "apt install ${packages.join(' ')}"`;
}

/**
 * What a run is going to install, each with its reason, for the reader to know before it happens.
 * @param {string[]} needs of the checks that will run
 * @param {{ name: string, packages: string[] }[]} servers that are missing
 * @param {{ mysqlUrl?: string }} options mysqlUrl: a MySQL that runs already
 * @returns {string[]} lines; none when everything is there
 */
export function installations(needs, servers, { mysqlUrl } = {}) {
  const lines = servers.map(({ name, packages }) => {
    const what = name === 'redis' ? 'the queues run on it' : 'the tests run on it';
    return `${packages[0]}: ${what}`;
  });
  for (const [name, program] of Object.entries(PROGRAMS)) {
    if (!needs.includes(name) || isThere(program)) continue;
    const hint = name === 'copies' ? '' : ` (--without ${name} leaves it out)`;
    lines.push(`${program.packages.join(', ')}: ${program.why}${hint}`);
  }
  const how = canInstallPackages() ? 'apt-get installs' : 'is missing, and only root may install';
  const system = lines.map((line) => `${how} ${line}`);
  if (!needs.includes('mysql') || mysqlUrl !== undefined || findMysql() !== null || keptMysql() !== null) return system;
  const own = `MySQL of Debian, 60 MB, comes into ${mysqlDirectory()}: integration tests run on it a second time`;
  return whyNoDebianMysql() === null ? [...system, `${own} (--without mysql leaves it out)`] : system;
}
