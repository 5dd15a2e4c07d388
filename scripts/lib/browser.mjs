import { canInstallPackages, findProgram, installPackages } from './packages.mjs';
import { say } from './progress.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Makes sure of a headless browser for the tests of the pages; where none may be installed, those tests are left out. */
export async function ensureBrowser() {
  if (findProgram(...NAMES) !== null) return;
  if (canInstallPackages()) await installPackages([['chromium']]).catch((error) => say(error.message));
  if (findProgram(...NAMES) === null) {
    say(
      'No Chromium was found and none may be installed here: the browser tests are left out. Try "apt install chromium"',
    );
  }
}
