import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './environment.mjs';
import { run } from './processes.mjs';
import { say } from './progress.mjs';

const MARK = join(ROOT, 'dist/.sources');
const SETTINGS = ['package-lock.json', 'tsconfig.json', 'nest-cli.json', 'ormconfig.ts'];

const walk = (directory) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** What a browser gets as it stands is not compiled. */
const sources = () =>
  walk(join(ROOT, 'src')).filter((file) => /(?<!\.spec)\.m?[jt]s$/.test(file) && !/[\\/]public[\\/]/.test(file));
/** The sources that have output: declarations have none. */
const emitting = () => sources().filter((file) => !file.endsWith('.d.ts'));
const compiled = (source) => join(ROOT, 'dist', relative(ROOT, source).replace(/\.ts$/, '.js'));

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS.map((name) => join(ROOT, name)), ...sources().sort()]) {
    hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** True when `dist/` is what the sources compile to. */
export function isBuilt() {
  return (
    existsSync(MARK) &&
    readFileSync(MARK, 'utf8') === fingerprint() &&
    emitting().every((file) => existsSync(compiled(file)))
  );
}

/** Compiles when sources have changed. Output of sources that are gone is removed, so that nothing imports it. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  say('Building');
  const wanted = new Set(emitting().map(compiled));
  for (const file of walk(join(ROOT, 'dist/src'))) {
    if (!wanted.has(file.replace(/\.map$/, ''))) rmSync(file);
  }
  // the compiler trusts its own notes and would not write a missing file again
  if (![...wanted].every((file) => existsSync(file))) rmSync(join(ROOT, 'dist/.tsbuildinfo'), { force: true });
  const mark = fingerprint();
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], { cwd: ROOT });
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(MARK, mark);
}
