import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { DataSource } from 'typeorm';
import type { Environment } from '../../../platform/config/index.js';
import { dataSourceOptions } from '../../../platform/database/index.js';
import { Sealer } from '../../../platform/security/index.js';
import { Failure } from '../terminal.js';
import { DUMP, isWhole, type Manifest, writeManifest } from './manifest.js';
import { connectionOf, type DatabaseAddress, readAddress, requireProgram, startProgram } from './programs.js';

// A table definition that changes (a daily partition is created or dropped) aborts a snapshot: retry.
const TRIES = 3;
const CHANGED_TABLE = /\b1412\b|Table definition has changed/;
const HEAD = 64 * 1024;
const TAIL = 4_096;

interface ServerFacts {
  version: string;
  // the instant before the snapshot
  at: string;
  migrations: string[];
  hasBinaryLog: boolean;
}

interface WrittenDump {
  bytes: number;
  sha256: string;
  binaryLog: Manifest['binary_log'];
}

/** Writes a consistent, compressed snapshot of the database into a new directory. Throws Failure with the reason. */
export async function takeCopy(environment: Environment, directory: string): Promise<Manifest> {
  const address = readAddress(environment.DATABASE_URL);
  const program = requireProgram('mariadb-dump', 'mysqldump');
  const sealer = new Sealer(environment);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0) throw new Failure(`${directory} is not empty`);
  for (let attempt = 1; ; attempt++) {
    const facts = await factsOf(address);
    try {
      const dump = await writeDump(program, address, join(directory, DUMP), facts);
      const manifest: Manifest = {
        format: 1,
        taken_at: facts.at,
        application: await versionHere(),
        server: facts.version,
        database: address.name,
        migrations: facts.migrations,
        encryption_keys: sealer.keyIds,
        binary_log: dump.binaryLog,
        file: { name: DUMP, bytes: dump.bytes, sha256: dump.sha256 },
      };
      await writeManifest(directory, manifest, sealer);
      return manifest;
    } catch (error) {
      await rm(join(directory, `${DUMP}.partial`), { force: true });
      if (attempt >= TRIES || !(error instanceof Failure && CHANGED_TABLE.test(error.message))) throw error;
    }
  }
}

async function versionHere(): Promise<string | null> {
  const text = await readFile('package.json', 'utf8').catch(() => '{}');
  return (JSON.parse(text) as { version?: string }).version ?? null;
}

async function factsOf({ url }: DatabaseAddress): Promise<ServerFacts> {
  const source = new DataSource(dataSourceOptions(url.href, 1));
  await source.initialize();
  try {
    const [row] = await source.query<{ version: string; at: Date; log_bin: number }[]>(
      'SELECT VERSION() AS version, UTC_TIMESTAMP(3) AS at, @@log_bin AS log_bin',
    );
    const migrations = await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id').catch(() => {
      throw new Failure('The database is not one of Switchboard: it has no migrations');
    });
    const position = await source.query<unknown[]>('SHOW MASTER STATUS').catch(() => []);
    return {
      version: row?.version ?? '',
      at: (row?.at ?? new Date()).toISOString(),
      migrations: migrations.map(({ name }) => name),
      hasBinaryLog: Number(row?.log_bin) === 1 && position.length > 0,
    };
  } finally {
    await source.destroy();
  }
}

async function writeDump(
  program: string,
  address: DatabaseAddress,
  path: string,
  { version, hasBinaryLog }: ServerFacts,
): Promise<WrittenDump> {
  const { args, environment } = connectionOf(address);
  const isMariaDb = /mariadb/i.test(version);
  const position = isMariaDb ? ['--master-data=2', '--gtid'] : ['--source-data=2'];
  const options = ['--single-transaction', '--quick', '--skip-lock-tables', '--hex-blob', '--no-tablespaces'];
  // Commits each statement: a cluster refuses a transaction of a whole table.
  options.push('--skip-add-locks', '--skip-no-autocommit');
  options.push('--default-character-set=utf8mb4', '--max-allowed-packet=1G', ...(hasBinaryLog ? position : []));
  const { child, ended } = startProgram(program, [...args, ...options, address.name], environment);
  const hash = createHash('sha256');
  let [bytes, head, tail] = [0, '', ''];
  const inspect = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (head.length < HEAD) head += chunk.toString('latin1');
      tail = (tail + chunk.subarray(-TAIL).toString('latin1')).slice(-TAIL);
      done(null, chunk);
    },
  });
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  child.stdin?.end();
  if (!child.stdout) throw new Failure('The dump cannot be read');
  const partial = `${path}.partial`;
  try {
    await pipeline(child.stdout, inspect, createGzip({ level: 4 }), count, createWriteStream(partial, { mode: 0o600 }));
  } catch (error) {
    child.kill();
    throw new Failure(`${partial} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  await ended;
  if (!isWhole(tail)) throw new Failure('The dump ended before its time');
  const file = await open(partial, 'r');
  await file.sync();
  await file.close();
  await rename(partial, path);
  return { bytes, sha256: hash.digest('hex'), binaryLog: positionIn(head) };
}

// The programs write it for replaying the binary log after a restore.
function positionIn(head: string): Manifest['binary_log'] {
  const [, file, position] = /(?:MASTER|SOURCE)_LOG_FILE='([^']+)', (?:MASTER|SOURCE)_LOG_POS=(\d+)/.exec(head) ?? [];
  const [, gtid] = /gtid_slave_pos='([^']*)'/.exec(head) ?? [];
  return file === undefined ? null : { file, position: Number(position), gtid: gtid ?? null };
}
