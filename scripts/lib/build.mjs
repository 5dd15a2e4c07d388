import { join } from 'node:path';
import { ROOT } from './environment.mjs';
import { filesBelow, fingerprintOf, isBuilt } from './fingerprint.mjs';
import { run } from './processes.mjs';
import { say } from './progress.mjs';
import { ensureWebBuilt } from './web.mjs';

const SETTINGS = ['package-lock.json', 'tsconfig.json', 'ormconfig.ts', 'scripts/lib/bundle.mjs'];

/** What a browser gets as it stands is not compiled. */
const sources = () =>
  filesBelow(join(ROOT, 'src')).filter((file) => /(?<!\.spec)\.m?[jt]s$/.test(file) && !/[\\/]public[\\/]/.test(file));

async function build() {
  const mark = fingerprintOf([...SETTINGS.map((name) => join(ROOT, name)), ...sources()]);
  if (isBuilt('dist', mark)) return;
  say('Building');
  await run(process.execPath, [join(ROOT, 'scripts/lib/bundle.mjs'), mark], { cwd: ROOT });
}

/**
 * Builds the processes into `dist/` and the web application into `dist/web/`, each when its sources have changed. Files
 * that no longer belong there are removed.
 */
export async function ensureBuilt() {
  await build();
  await ensureWebBuilt();
}
