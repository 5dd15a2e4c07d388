import { existsSync } from 'node:fs';
import { canInstallPackages, findProgram, installPackages } from './packages.mjs';
import { say } from './progress.mjs';

/**
 * Programs that tests alone need: by which names, with which files, of which packages, and what is not as it should be without
 * one.
 */
const PROGRAMS = {
  /** for the tests of the pages */
  browser: {
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium'],
    without: 'the browser tests are left out',
  },
  /** Go and sprig, by which the tests render the Helm chart */
  golang: {
    names: ['go'],
    files: ['/usr/share/gocode/src/github.com/Masterminds/sprig'],
    packages: ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-gopkg-yaml.v3-dev'],
    without: 'the Helm chart is not rendered',
  },
  promtool: { names: ['promtool'], packages: ['prometheus'], without: 'the alert rules are not tried' },
  databaseClient: {
    names: ['mariadb-dump', 'mysqldump'],
    packages: ['mariadb-client'],
    without: 'the tests of copies will fail',
  },
};

export const TEST_PROGRAMS = Object.keys(PROGRAMS);

/** Makes sure of one, where it may be installed. @param {keyof typeof PROGRAMS} name */
export async function ensureTestProgram(name) {
  const { names, files = [], packages, without } = PROGRAMS[name];
  const isThere = () => findProgram(...names) !== null && files.every((file) => existsSync(file));
  if (isThere()) return;
  if (canInstallPackages()) await installPackages(packages.map((each) => [each])).catch((error) => say(error.message));
  if (isThere()) return;
  const what = [names[0], ...files].join(' and ');
  say(`${what} was not found and may not be installed here: ${without}. Try "apt install ${packages.join(' ')}"`);
}
