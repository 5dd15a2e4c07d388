import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './environment.mjs';
import { run } from './processes.mjs';
import { say } from './progress.mjs';

const readLock = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * True when node_modules holds what the lock file names. npm writes its hidden lock at the end of an installation, so
 * a half-finished one counts as missing. Packages for other platforms are absent from it by right.
 */
export function isInstalled(root = ROOT) {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const present = readLock(hidden);
  return Object.entries(readLock(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '') return true;
    const found = present[path];
    if (found === undefined) return wanted.optional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/** Runs `npm ci` when dependencies are missing or the lock file has changed. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  say('Installing dependencies (npm ci), about half a minute');
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  // a NODE_ENV=production of the caller must not leave out the compiler; no package of the lock needs its scripts
  await run(command, [...first, 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: ROOT });
}
