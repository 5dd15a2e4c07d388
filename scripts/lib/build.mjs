import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './environment.mjs';
import { run } from './processes.mjs';
import { say } from './progress.mjs';

/** The file in which the bundler notes what it wrote, and of which sources. */
const NOTE = 'sources.json';
const SETTINGS = ['package-lock.json', 'tsconfig.json', 'ormconfig.ts', 'scripts/lib/bundle.mjs'];

const walk = (directory) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** What a browser gets as it stands is not compiled. */
const sources = () =>
  walk(join(ROOT, 'src')).filter((file) => /(?<!\.spec)\.m?[jt]s$/.test(file) && !/[\\/]public[\\/]/.test(file));

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS.map((name) => join(ROOT, name)), ...sources().sort()]) {
    hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** True when the directory holds what sources with this fingerprint are built to; the bundler leaves a note of it there. */
function isBuilt(directory, mark) {
  const note = join(ROOT, directory, NOTE);
  if (!existsSync(note)) return false;
  const text = readFileSync(note, 'utf8');
  if (!text.startsWith('{')) return false; // the note of an earlier version
  const { of, files } = JSON.parse(text);
  return of === mark && files.every((file) => existsSync(join(ROOT, directory, file)));
}

async function build(directory) {
  const mark = fingerprint();
  if (isBuilt(directory, mark)) return;
  say('Building');
  await run(process.execPath, [join(ROOT, 'scripts/lib/bundle.mjs'), directory, mark], { cwd: ROOT });
}

/** Builds the applications into `dist/` when sources have changed. Files that no longer belong there are removed. */
export const ensureBuilt = () => build('dist');

/** The same file by file into `dist/modules/`, for benchmarks of single parts. */
export const ensureModules = () => build('dist/modules');
