import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { RouteBindEntity, RouteEntity } from '../../src/modules/providers/tables.js';
import { dataSourceOptions, inTransaction } from '../../src/platform/database/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { Sealer } from '../../src/platform/security/index.js';
import { testEnvironment } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const PROCESSES = 20;
const PATIENCE = { timeout: 60_000, interval: 20 };

let database: TestDatabase;
let dataSource: DataSource;
let clients: RedisClients;
let directories: RouteDirectory[];
/** Reads of whole routes, and looks whether they have changed. */
const asked = { reads: 0, looks: 0 };

beforeAll(async () => {
  database = await createTestDatabase();
  const entities = [RouteEntity, RouteBindEntity];
  dataSource = await new DataSource({
    ...dataSourceOptions(database.url, 4),
    entities,
    logging: true,
    logger: counter,
  }).initialize();
  const environment = testEnvironment(database.url, { REDIS_PREFIX: `reads-${randomBytes(4).toString('hex')}` });
  clients = new RedisClients(environment);
  directories = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const link = new RedisLink(environment, clients);
      await link.onModuleInit();
      return new RouteDirectory(dataSource, new Sealer({ ENCRYPTION_KEY: '1f'.repeat(32) }), link);
    }),
  );
});
afterAll(async () => {
  clients.onApplicationShutdown();
  await dataSource.destroy();
  await database.drop();
});

const counter = {
  logQuery: (sql: string): void => {
    if (/BIT_XOR/.test(sql)) asked.looks += 1;
    else if (/^SELECT .*FROM `routes`.*ORDER BY/.test(sql)) asked.reads += 1;
  },
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};
const names = async (directory: RouteDirectory): Promise<string[]> => (await directory.list()).map(({ name }) => name);
const all = (): Promise<string[][]> => Promise.all(directories.map(names));
const [writer] = [() => directories[0] as RouteDirectory];
const put = (name: string): Promise<unknown> =>
  inTransaction(dataSource, (tx) =>
    writer().put(tx, {
      ...{ name, channel: 'unofficial', driver: 'http', isDefault: false, messagesPerSecond: null },
      config: { url: 'http://127.0.0.1:9/', body: {} },
    }),
  );

it('routes that have not changed are read once by each process, and looked at by one of them', async () => {
  await put('one');
  writer().forget();
  await all();
  const reads = asked.reads;
  const looks = asked.looks;
  // Until the mark has run out a few times, as it does while all processes are at rest.
  await vi.waitFor(async () => {
    await all();
    expect(asked.looks).toBeGreaterThan(looks + 3);
  }, PATIENCE);
  expect(asked.reads).toBeLessThanOrEqual(reads + PROCESSES);
  expect(asked.looks - looks).toBeLessThan(3 * PROCESSES);
});

it('a route that was changed reaches every process, whoever wrote it', async () => {
  await put('two');
  await vi.waitFor(async () => {
    for (const known of await all()) expect(known).toEqual(['one', 'two']);
  }, PATIENCE);
  await dataSource.query("DELETE FROM routes WHERE name = 'two'");
  await vi.waitFor(async () => {
    for (const known of await all()) expect(known).toEqual(['one']);
  }, PATIENCE);
});
