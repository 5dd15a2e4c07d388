import { existsSync } from 'node:fs';
import { canInstallPackages, findProgram, installPackages } from './packages.mjs';
import { say } from './progress.mjs';

const SPRIG = '/usr/share/gocode/src/github.com/Masterminds/sprig';
const PACKAGES = ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-gopkg-yaml.v3-dev'];

const isThere = () => findProgram('go') !== null && existsSync(SPRIG);

/** Makes sure of Go and sprig, by which the tests render the Helm chart; where none may be installed, those are left out. */
export async function ensureGo() {
  if (isThere()) return;
  if (canInstallPackages()) await installPackages(PACKAGES.map((name) => [name])).catch((error) => say(error.message));
  if (!isThere()) {
    say(
      `Go and sprig were not found and may not be installed here: the Helm chart is not rendered. Try "apt install ${PACKAGES.join(' ')}"`,
    );
  }
}
