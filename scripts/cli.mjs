/**
 * `npm run cli -- <command>`: the operator's command line. Beside a running `npm start` of this checkout it finds the
 * API and the servers by itself; otherwise SWITCHBOARD_URL, DATABASE_URL and the secrets say where they are.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { ROOT, dataDirectory, developmentEnvironment, ensureSecrets, requireNode } from './lib/environment.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { complain } from './lib/progress.mjs';

async function cli() {
  requireNode();
  const given = { NODE_ENV: 'development', ...developmentEnvironment() };
  const directory = dataDirectory(given);
  const file = join(directory, 'running.json');
  const running = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  await ensureInstalled({ development: false });
  await ensureBuilt();
  const environment = { ...running, ...ensureSecrets(given, directory), DATA_DIR: directory };
  const child = spawn(process.execPath, [join(ROOT, 'dist/src/apps/cli/main.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: environment,
  });
  // the command ends itself and says how; a terminal tells both, anybody else only this process
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  process.exitCode = code ?? 128 + constants.signals[signal];
}

await cli().catch((error) => {
  complain(error);
  process.exitCode = 1;
});
