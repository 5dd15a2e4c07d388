import { canInstallPackages, findProgram, installPackages } from './packages.mjs';
import { say } from './progress.mjs';

const PACKAGE = 'prometheus';

/** Makes sure of promtool, by which the tests try the alert rules; where it may not be installed, they are not tried. */
export async function ensurePromtool() {
  if (findProgram('promtool') !== null) return;
  if (canInstallPackages()) await installPackages([[PACKAGE]]).catch((error) => say(error.message));
  if (findProgram('promtool') === null) {
    say(
      `promtool was not found and may not be installed here: the alert rules are not tried. Try "apt install ${PACKAGE}"`,
    );
  }
}
