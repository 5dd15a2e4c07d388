/** The web application: its build (docs/decisions/0045), and the types of the API that its pages are judged by. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './environment.mjs';
import { filesBelow, fingerprintOf, isBuilt, NOTE } from './fingerprint.mjs';
import { run } from './processes.mjs';
import { say } from './progress.mjs';

const DIRECTORY = 'dist/web';
const SCHEMA = join(ROOT, 'web/src/api/schema.d.ts');
const SCHEMA_NOTE = join(ROOT, 'node_modules/.cache/web-schema');

const sources = () => [
  ...['package-lock.json', 'web/index.html', 'web/package.json', 'web/vite.config.ts'].map((name) => join(ROOT, name)),
  ...filesBelow(join(ROOT, 'web/src')).filter((file) => file !== SCHEMA),
];

/** Builds the web application into `dist/web/` when its sources have changed. */
export async function ensureWebBuilt() {
  const mark = fingerprintOf(sources());
  if (isBuilt(DIRECTORY, mark)) return;
  say('Building the web application');
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  await run(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: join(ROOT, 'web'),
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const directory = join(ROOT, DIRECTORY);
  const files = filesBelow(directory).map((file) => file.slice(directory.length + 1));
  writeFileSync(join(directory, NOTE), JSON.stringify({ of: mark, files }));
}

/** Writes the types of docs/openapi.json for the pages, when it has changed. A build needs no types. */
export async function ensureWebTypes() {
  const document = join(ROOT, 'docs/openapi.json');
  const mark = fingerprintOf([document, join(ROOT, 'package-lock.json')]);
  if (existsSync(SCHEMA) && existsSync(SCHEMA_NOTE) && readFileSync(SCHEMA_NOTE, 'utf8') === mark) return;
  rmSync(SCHEMA_NOTE, { force: true });
  const generator = join(ROOT, 'node_modules/openapi-typescript/bin/cli.js');
  await run(process.execPath, [generator, document, '-o', SCHEMA], { cwd: ROOT, stdio: 'ignore' });
  mkdirSync(join(SCHEMA_NOTE, '..'), { recursive: true });
  writeFileSync(SCHEMA_NOTE, mark);
}
