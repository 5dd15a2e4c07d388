import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'admin-password';
const RANDOM_BYTES = 12;

/** A first password and where its owner finds it. */
export interface FirstPassword {
  password: string;
  /** null: it could not be kept, so it is printed this once only */
  file: string | null;
}

/**
 * A random password, kept in `<directory>/admin-password` (readable by the owner alone) for whoever missed the print.
 * One that is kept there already is taken again, so that a new database gets the password that the operator knows.
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
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(file, `${password}\n`, { mode: 0o600 });
    return { password, file };
  } catch {
    return { password, file: null };
  }
}
