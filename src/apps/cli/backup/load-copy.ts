import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { DataSource } from 'typeorm';
import type { Environment } from '../../../platform/config/index.js';
import { dataSourceOptions, FORMER_MIGRATIONS, migrations } from '../../../platform/database/index.js';
import { Sealer } from '../../../platform/security/index.js';
import { Failure } from '../terminal.js';
import { checkDump, type Manifest, readManifest } from './manifest.js';
import { connectionOf, type DatabaseAddress, readAddress, requireProgram, startProgram, urlOf } from './programs.js';
import { onRestored, type Fenced } from './restored-database.js';

// The copy is loaded and fenced in this database; no process uses it before it is complete.
const SUFFIX = '_restoring';

/** Facts that only the operator can confirm. */
export interface RestoreChoice {
  /** nothing was sent since the copy was taken */
  resumeUnsent: boolean;
  /** the origin is trusted although the signature is not from here */
  acceptUnsigned: boolean;
}

export interface Restored {
  manifest: Manifest;
  migrations: number;
  /** null = not fenced: the copy resumes sending */
  fenced: Fenced | null;
}

/** Checks signature, completeness, version and encryption keys of a copy. Throws Failure with the reason. */
export async function checkCopy(
  environment: Environment,
  directory: string,
  acceptUnsigned: boolean,
): Promise<Manifest> {
  const sealer = new Sealer(environment);
  const manifest = await readManifest(directory, sealer, acceptUnsigned);
  const known = new Set([...FORMER_MIGRATIONS, ...migrations.map(({ name }) => name)]);
  const later = manifest.migrations.find((name) => !known.has(name));
  if (later !== undefined) {
    throw new Failure(`The copy is of a later version (${later}): restore it with that version, or a later one`);
  }
  const keys = new Set(sealer.keyIds);
  const missing = manifest.encryption_keys.filter((key) => !keys.has(key));
  if (missing.length > 0) {
    throw new Failure(
      `Secrets of the copy were sealed under another ENCRYPTION_KEY (digest ${missing.join(', ')}): set that one, or name it in ENCRYPTION_KEYS_ACCEPTED`,
    );
  }
  await checkDump(directory, manifest);
  return manifest;
}

/**
 * Loads, migrates and fences a copy in a second database, then renames its tables at once, so that no process works on an
 * incomplete or unfenced database. Throws Failure if the copy fails a check or the database is not empty.
 */
export async function loadCopy(
  environment: Environment,
  directory: string,
  { resumeUnsent, acceptUnsigned }: RestoreChoice,
): Promise<Restored> {
  const client = requireProgram('mariadb', 'mysql');
  const manifest = await checkCopy(environment, directory, acceptUnsigned);
  const address = readAddress(environment.DATABASE_URL);
  const temporary = address.name + SUFFIX;
  const server = new DataSource(dataSourceOptions(urlOf(address, ''), 1, { queryTimeout: 0, poolWait: 10_000 }));
  await server.initialize();
  try {
    await requireEmpty(server, address.name);
    await make(server, address.name);
    // left over from an earlier attempt
    await server.query(`DROP DATABASE IF EXISTS \`${temporary}\``);
    await make(server, temporary);
    await load(client, address, temporary, join(directory, manifest.file.name));
    const there = { ...environment, DATABASE_URL: urlOf(address, temporary) };
    const done = await onRestored(there, async (database) => ({
      migrations: await database.migrate(),
      fenced: await database.takeIntoUse(manifest.taken_at, resumeUnsent),
    }));
    await moveTables(server, temporary, address.name);
    await server.query(`DROP DATABASE \`${temporary}\``);
    return { manifest, ...done };
  } finally {
    await server.destroy();
  }
}

async function tablesOf(server: DataSource, name: string): Promise<string[]> {
  const rows = await server.query<{ name: string }[]>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? ORDER BY table_name',
    [name],
  );
  return rows.map((row) => row.name);
}

async function requireEmpty(server: DataSource, name: string): Promise<void> {
  const tables = await tablesOf(server, name);
  if (tables.length === 0) return;
  throw new Failure(
    `The database ${name} is not empty (${tables.length} tables): restore into a new one, or drop it first`,
  );
}

async function make(server: DataSource, name: string): Promise<void> {
  await server
    .query(`CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`)
    .catch((error: unknown) => {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new Failure(
        `The database ${name} cannot be made (${code}): the account of DATABASE_URL needs all rights on it while it restores`,
      );
    });
}

// Without these options the client runs commands in the dump (`\!` and `system` run a shell; `source`, `tee` and `pager`
// access files) and the server may request local files. MariaDB and MySQL clients support both.
const ONLY_SQL = ['--binary-mode', '--skip-local-infile'];

async function load(client: string, address: DatabaseAddress, name: string, path: string): Promise<void> {
  const { args, environment } = connectionOf(address);
  const options = ['--batch', ...ONLY_SQL, '--default-character-set=utf8mb4', '--max-allowed-packet=1G', name];
  const { child, ended } = startProgram(client, [...args, ...options], environment);
  if (!child.stdin) throw new Failure('The copy cannot be written');
  // A failed client closes its input: its own message is the reason.
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), createGunzip(), child.stdin).catch(
    async (error: unknown) => {
      await ended;
      throw error;
    },
  );
  await ended;
}

async function moveTables(server: DataSource, from: string, to: string): Promise<void> {
  const tables = await tablesOf(server, from);
  await requireEmpty(server, to);
  await server.query(
    `RENAME TABLE ${tables.map((table) => `\`${from}\`.\`${table}\` TO \`${to}\`.\`${table}\``).join(', ')}`,
  );
}
