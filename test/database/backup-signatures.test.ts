import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCopy, loadCopy } from '../../src/apps/cli/backup/load-copy.js';
import { DUMP, type Manifest, writeManifest } from '../../src/apps/cli/backup/manifest.js';
import type { Environment } from '../../src/platform/config/index.js';
import { migrations } from '../../src/platform/database/index.js';
import { Sealer } from '../../src/platform/security/index.js';
import { testEnvironment } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const FORMER_KEY = 'fedcba9876543210'.repeat(4);
const TRUST = { resumeUnsent: true, acceptUnsigned: false };
const VOUCHED = { resumeUnsent: true, acceptUnsigned: true };

/** A copy is SQL that runs in the database: it is loaded only when this installation wrote it, and runs nothing else. */
describe('a copy that somebody else could have written', () => {
  let database: TestDatabase;
  let environment: Environment;
  let directory: string;
  let target: string;
  const marker = (name: string): string => join(directory, `ran-${name}`);

  beforeAll(async () => {
    database = await createTestDatabase();
    const url = new URL(database.url);
    target = `${url.pathname.slice(1)}_copy`;
    url.pathname = `/${target}`;
    environment = testEnvironment(url.href);
    directory = mkdtempSync(join(tmpdir(), 'switchboard-signatures-'));
  });
  afterAll(async () => {
    for (const name of [target, `${target}_restoring`]) {
      await database.dataSource.query(`DROP DATABASE IF EXISTS \`${name}\``);
    }
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Writes a copy as `backup` does, with these statements in it, signed under the first key of `signer`. */
  async function copyWith(sql: string, signer: Partial<Environment> = {}): Promise<string> {
    const path = mkdtempSync(join(directory, 'copy-'));
    const sealer = new Sealer({ ...environment, ...signer });
    const dump = gzipSync(`${sql}\n-- Dump completed on 2026-11-26\n`);
    writeFileSync(join(path, DUMP), dump);
    const manifest: Manifest = {
      format: 1,
      taken_at: new Date().toISOString(),
      application: null,
      server: 'test',
      database: 'test',
      migrations: migrations.map(({ name }) => name),
      encryption_keys: new Sealer(environment).keyIds,
      binary_log: null,
      file: { name: DUMP, bytes: dump.length, sha256: createHash('sha256').update(dump).digest('hex') },
    };
    await writeManifest(path, manifest, sealer);
    return path;
  }
  const edit = (path: string, name: string, change: (text: string) => string): void =>
    writeFileSync(join(path, name), change(readFileSync(join(path, name), 'utf8')));
  async function tablesOf(name: string): Promise<number> {
    const connection = await createConnection({ uri: database.url });
    const [rows] = await connection.query<never[]>('SELECT 1 FROM information_schema.tables WHERE table_schema = ?', [
      name,
    ]);
    await connection.end();
    return rows.length;
  }

  it('is verified when it is whole and signed here', async () => {
    const manifest = await checkCopy(environment, await copyWith('SELECT 1;'), false);
    expect(manifest.format).toBe(1);
  });

  it('is verified when a former key signed it that is still accepted', async () => {
    const former = await copyWith('SELECT 1;', { ENCRYPTION_KEY: FORMER_KEY });
    await expect(checkCopy(environment, former, false)).rejects.toThrow(/signed under another ENCRYPTION_KEY/);
    const accepting = { ...environment, ENCRYPTION_KEYS_ACCEPTED: [FORMER_KEY] };
    expect((await checkCopy(accepting, former, false)).format).toBe(1);
  });

  it('is refused unsigned, changed, or foreign, before anything of it is loaded', async () => {
    const mark = `\\! touch ${marker('refused')}`;
    const unsigned = await copyWith(mark);
    rmSync(join(unsigned, 'manifest.sig'));
    const changed = await copyWith(mark);
    edit(changed, 'manifest.json', (text) => text.replace('"application": null', '"application": "9.9.9"'));
    const otherDump = await copyWith('SELECT 1;');
    writeFileSync(join(otherDump, DUMP), gzipSync(`${mark}\n-- Dump completed\n`));
    const damaged = await copyWith(mark);
    edit(damaged, 'manifest.sig', (text) => text.replace(/.$/m, (last) => (last === '0' ? '1' : '0')));
    const empty = await copyWith(mark);
    writeFileSync(join(empty, 'manifest.sig'), '');
    const foreign = await copyWith(mark, { ENCRYPTION_KEY: FORMER_KEY });
    const refused: [string, RegExp][] = [
      [unsigned, /is not signed: manifest\.sig is missing.*--accept-unsigned/],
      [changed, /was changed after it was signed/],
      [damaged, /was changed after it was signed/],
      [empty, /another ENCRYPTION_KEY/],
      [foreign, /signed under another ENCRYPTION_KEY.*ENCRYPTION_KEYS_ACCEPTED.*--accept-unsigned/],
      [otherDump, /its digest is another/],
    ];
    for (const [path, text] of refused) {
      await expect(loadCopy(environment, path, TRUST), path).rejects.toThrow(text);
      await expect(checkCopy(environment, path, false), path).rejects.toThrow(text);
    }
    expect(existsSync(marker('refused'))).toBe(false);
    expect(await tablesOf(target)).toBe(0);
    expect((await checkCopy(environment, unsigned, true)).format).toBe(1);
  });

  it('runs no command of the client, even when it is signed or vouched for', async () => {
    const commands = [
      `\\! touch ${marker('bang')}`,
      `system touch ${marker('system')}`,
      `SELECT 1;\nsystem touch ${marker('later')};`,
      `DELIMITER ;;\n\\! touch ${marker('delimiter')}\n;;`,
      `tee ${marker('tee')}\nSELECT 1;`,
      `\\T ${marker('tee-short')}\nSELECT 1;`,
      `pager cat > ${marker('pager')}\nSELECT 1;`,
      `CREATE TABLE t (a TEXT);\nLOAD DATA LOCAL INFILE '${join(directory, 'secret')}' INTO TABLE t;`,
    ];
    const script = join(directory, 'script.sql');
    writeFileSync(script, `CREATE TABLE sourced (a INT);\n`);
    writeFileSync(join(directory, 'secret'), 'secret\n');
    commands.push(`source ${script}`, `\\. ${script}`);
    for (const command of commands) {
      const path = await copyWith(command);
      await expect(loadCopy(environment, path, VOUCHED), command).rejects.toThrow(/mariadb|mysql/);
      expect(await tablesOf(target), command).toBe(0);
    }
    const ran = ['bang', 'system', 'later', 'delimiter', 'tee', 'tee-short', 'pager'].filter((name) =>
      existsSync(marker(name)),
    );
    expect(ran).toEqual([]);
  });
});
