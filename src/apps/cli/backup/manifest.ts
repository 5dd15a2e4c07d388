import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import type { Sealer } from '../../../platform/security/index.js';
import { Failure } from '../terminal.js';

export const DUMP = 'database.sql.gz';
const MANIFEST = 'manifest.json';
const SIGNATURE = 'manifest.sig';
// Purpose of the derived signing key.
const PURPOSE = 'backup manifest';
// Last line of a complete dump.
const LAST_LINE = '-- Dump completed';
const TAIL = 4_096;

const manifestSchema = z.object({
  format: z.literal(1),
  taken_at: z.iso.datetime(),
  application: z.string().nullable(),
  server: z.string(),
  database: z.string(),
  migrations: z.array(z.string()).min(1),
  /** digests of ENCRYPTION_KEY and of the other accepted keys */
  encryption_keys: z.array(z.string()).min(1),
  /** position at the snapshot; null = the server keeps no binary log, or hides it */
  binary_log: z.object({ file: z.string(), position: z.number(), gtid: z.string().nullable() }).nullable(),
  file: z.object({ name: z.literal(DUMP), bytes: z.number(), sha256: z.string() }),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Writes the manifest last, after its signature: a directory without a manifest is not a copy. */
export async function writeManifest(directory: string, manifest: Manifest, sealer: Sealer): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeWhole(join(directory, SIGNATURE), `${sealer.sign(PURPOSE, text)}\n`);
  await writeWhole(join(directory, MANIFEST), text);
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(`${path}.partial`, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(`${path}.partial`, path);
}

// null = no such file
async function textOf(directory: string, name: string): Promise<string | null> {
  return readFile(join(directory, name), 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new Failure(`${directory} cannot be read (${code ?? 'unknown'})`);
  });
}

/** Reads a manifest, signed unless `acceptUnsigned`; the signature covers the copy by the dump's digest. Throws Failure. */
export async function readManifest(directory: string, sealer: Sealer, acceptUnsigned = false): Promise<Manifest> {
  const text = await textOf(directory, MANIFEST);
  if (text === null) throw new Failure(`${directory} holds no whole copy: ${MANIFEST} is missing`);
  if (!acceptUnsigned) await requireSignature(directory, text, sealer);
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${join(directory, MANIFEST)} is damaged, or of a version that is not known here`);
  }
}

const VOUCH = 'A copy runs SQL in your database: add --accept-unsigned only if you know who made it';

async function requireSignature(directory: string, text: string, sealer: Sealer): Promise<void> {
  const signature = (await textOf(directory, SIGNATURE))?.trim();
  if (signature === undefined) throw new Failure(`${directory} is not signed: ${SIGNATURE} is missing. ${VOUCH}`);
  const check = sealer.checkSignature(PURPOSE, text, signature);
  if (check === 'changed') {
    throw new Failure(`${join(directory, MANIFEST)} was changed after it was signed. ${VOUCH}`);
  }
  if (check === 'unknown key') {
    throw new Failure(
      `${directory} was signed under another ENCRYPTION_KEY: set that one, or name it in ENCRYPTION_KEYS_ACCEPTED. ${VOUCH}`,
    );
  }
}

/** Compares size, digest and last line of the dump with the manifest. Throws Failure. */
export async function checkDump(directory: string, { file }: Manifest): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  let tail = '';
  const path = join(directory, file.name);
  const counted = new Writable({
    write(chunk: Buffer, _encoding, done) {
      tail = (tail + chunk.subarray(-TAIL).toString('latin1')).slice(-TAIL);
      done();
    },
  });
  const source = createReadStream(path, { highWaterMark: 1024 * 1024 });
  source.on('data', (chunk) => {
    bytes += chunk.length;
    hash.update(chunk);
  });
  await pipeline(source, createGunzip(), counted).catch((error: unknown) => {
    throw new Failure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'damaged'})`);
  });
  if (bytes !== file.bytes || hash.digest('hex') !== file.sha256) {
    throw new Failure(`${path} is not the file that was written: its digest is another`);
  }
  if (!tail.includes(LAST_LINE)) throw new Failure(`${path} was broken off before its end`);
}

export const isWhole = (tail: string): boolean => tail.includes(LAST_LINE);
