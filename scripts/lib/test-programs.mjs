import { canInstallPackages, findProgram, installPackages } from './packages.mjs';
import { say } from './progress.mjs';

/** Programs that tests alone need: by which names, of which package, and what is not as it should be without one. */
const PROGRAMS = {
  promtool: { names: ['promtool'], from: 'prometheus', without: 'the alert rules are not tried' },
  databaseClient: {
    names: ['mariadb-dump', 'mysqldump'],
    from: 'mariadb-client',
    without: 'the tests of copies will fail',
  },
};

/** Makes sure of one, where it may be installed. @param {keyof typeof PROGRAMS} name */
export async function ensureTestProgram(name) {
  const { names, from, without } = PROGRAMS[name];
  if (findProgram(...names) !== null) return;
  if (canInstallPackages()) await installPackages([[from]]).catch((error) => say(error.message));
  if (findProgram(...names) === null) {
    say(`${names[0]} was not found and may not be installed here: ${without}. Try "apt install ${from}"`);
  }
}
