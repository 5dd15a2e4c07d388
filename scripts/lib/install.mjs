import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './environment.mjs';
import { run } from './processes.mjs';
import { say } from './progress.mjs';

const readLock = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * True when node_modules holds what the lock file names. npm writes its hidden lock at the end of an installation, so
 * a half-finished one counts as missing. Packages for other platforms are absent from it by right; our own workspaces lie in the tree.
 * @param {{ development?: boolean }} [options] development: whether the packages of tests and checks have to be there
 */
export function isInstalled({ development = true } = {}, root = ROOT) {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const present = readLock(hidden);
  return Object.entries(readLock(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    const isOurs = wanted.link === true || !path.includes('node_modules/');
    if (isOurs || (wanted.dev === true && !development)) return true;
    const found = present[path];
    if (found === undefined) return wanted.optional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/** Runs `npm ci` when dependencies are missing or the lock file has changed. @param {{ development?: boolean }} [options] */
export async function ensureInstalled({ development = true } = {}) {
  if (isInstalled({ development })) return;
  say('Installing dependencies (npm ci)');
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  // said in both cases: a NODE_ENV of the caller decides otherwise; no package of the lock needs its scripts
  const which = development ? '--include=dev' : '--omit=dev';
  const options = [which, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run(command, [...first, 'ci', ...options], { cwd: ROOT });
}
