import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'admin-password';
const RANDOM_BYTES = 12;

/** A first password and the file where its owner finds it. */
export interface FirstPassword {
  password: string;
  file: string;
}

/**
 * A random password, kept in `<directory>/admin-password` (readable by the owner alone) and nowhere else: what a process
 * prints ends in logs. One that is kept there already is taken again, so that a new database gets the password that the
 * operator knows.
 * @throws the fault of the file system when it cannot be kept
 */
export async function keptPassword(directory: string): Promise<FirstPassword> {
  const file = join(directory, FILE);
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (kept !== '') return { password: kept, file };
  // Holds every class of character that the rules of registration want.
  const password = `A${randomBytes(RANDOM_BYTES).toString('base64url')}-a1`;
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return { password, file };
}
