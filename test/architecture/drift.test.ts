import { readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/apps/api/api.module.js';
import { createOpenApiDocument } from '../../src/apps/api/openapi.js';
import { dataSourceOptions } from '../../src/platform/database/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ROOT, entities, scan } from './house.js';

describe('docs/openapi.json', () => {
  it('is what the code says (npm run openapi writes it)', async () => {
    const app = (await scan(ApiModule)) as INestApplication;
    const written: unknown = JSON.parse(readFileSync(`${ROOT}docs/openapi.json`, 'utf8'));
    const document: unknown = JSON.parse(JSON.stringify(createOpenApiDocument(app)));
    await app.close();
    expect(document).toEqual(written);
  });

  it('is of the version of the package', () => {
    const versionIn = (file: string): { version?: string; info?: { version: string } } =>
      JSON.parse(readFileSync(ROOT + file, 'utf8')) as { version?: string; info?: { version: string } };
    expect(versionIn('docs/openapi.json').info?.version).toBe(versionIn('package.json').version);
  });

  it('describes every group of routes, and no other', () => {
    const { tags, paths } = JSON.parse(readFileSync(`${ROOT}docs/openapi.json`, 'utf8')) as {
      tags: { name: string; description: string }[];
      paths: Record<string, Record<string, { tags?: string[] }>>;
    };
    const used = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation.tags ?? []),
    );
    expect(tags.map(({ name }) => name).sort()).toEqual([...new Set(used)].sort());
  });
});

describe('the migrated schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is what the entities say', async () => {
    const known = await entities();
    expect(known.length).toBeGreaterThan(5);
    const [server] = await database.dataSource.query<{ version: string }[]>('SELECT VERSION() AS version');
    // MariaDB reports the default of a nullable column as the text NULL; TypeORM knows when it is told what it talks to
    const type = /mariadb/i.test(server!.version) ? 'mariadb' : 'mysql';
    const options = { ...dataSourceOptions(database.url, 1), type, entities: known } as DataSourceOptions;
    const dataSource = new DataSource(options);
    await dataSource.initialize();
    const statements = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    expect(statements.upQueries.map((query) => query.query)).toEqual([]);
  });

  it('has a primary key in every table: a cluster takes rows of no other (docs/operate/cluster.md)', async () => {
    const rows = await database.dataSource.query<{ name: string }[]>(
      `SELECT t.table_name AS name FROM information_schema.tables t LEFT JOIN information_schema.table_constraints k
         ON k.table_schema = t.table_schema AND k.table_name = t.table_name AND k.constraint_type = 'PRIMARY KEY'
       WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' AND k.constraint_name IS NULL`,
    );
    expect(rows.map(({ name }) => name)).toEqual([]);
  });

  it('goes down and up again', async () => {
    const count = database.dataSource.migrations.length;
    for (let i = 0; i < count; i++) await database.dataSource.undoLastMigration();
    const left = await database.dataSource.query<{ name: string }[]>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name <> 'migrations'",
    );
    expect(left).toEqual([]);
    expect(await database.dataSource.runMigrations()).toHaveLength(count);
  });
});
