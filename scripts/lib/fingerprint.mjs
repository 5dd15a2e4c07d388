/** Whether what was built is still what its sources are built to. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './environment.mjs';

/** The file in which a build notes what it wrote, and of which sources. */
export const NOTE = 'sources.json';

/** Every file below a directory. */
export const filesBelow = (directory) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** One mark for names and contents of files. */
export function fingerprintOf(files) {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) {
    hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** True when the directory holds what sources with this mark are built to; the build leaves a note of it there. */
export function isBuilt(directory, mark) {
  const note = join(ROOT, directory, NOTE);
  if (!existsSync(note)) return false;
  const text = readFileSync(note, 'utf8');
  if (!text.startsWith('{')) return false; // the note of an earlier version
  const { of, files } = JSON.parse(text);
  return of === mark && files.every((file) => existsSync(join(ROOT, directory, file)));
}
