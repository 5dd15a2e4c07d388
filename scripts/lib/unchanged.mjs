/** Checks that judge a file by what other files say: they are skipped when nothing that they read has changed since they passed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './environment.mjs';
import { fingerprintOf } from './fingerprint.mjs';

const FOREIGN = new Set(['node_modules', 'dist', 'coverage']);
/** Code, its settings, and the lock, which stands for the tools and the types of packages. */
const READ = /\.(?:[cm]?[jt]s|tsx|json)$/;

/** Every file that a check of the whole checkout may read. @param {string} [directory] @returns {string[]} */
export const filesRead = (directory = ROOT) =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isFile()) return READ.test(entry.name) ? [path] : [];
    // `.config` holds settings; what else begins with a dot is git's, an editor's or a run's
    const isOurs = !FOREIGN.has(entry.name) && (!entry.name.startsWith('.') || entry.name === '.config');
    return entry.isDirectory() && isOurs ? filesRead(path) : [];
  });

/** @returns {string} the same for the same files, the same version of Node and the same arguments */
export const markOf = (args, files = filesRead()) => `${process.version} ${args.join(' ')} ${fingerprintOf(files)}`;

const noteOf = (name) => join(ROOT, 'node_modules/.cache/switchboard', `${name}.passed`);

/** @param {string} name of the check @param {string} mark @param {string} [note] file that holds the last mark that passed */
export const hasPassed = (name, mark, note = noteOf(name)) => existsSync(note) && readFileSync(note, 'utf8') === mark;

/** Notes that it passed. */
export function notePassed(name, mark, note = noteOf(name)) {
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, mark);
}
