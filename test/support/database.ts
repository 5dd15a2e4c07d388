import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/index.js';

/** A fresh, migrated database on the server of `DATABASE_URL`, for one test file. */
export interface TestDatabase {
  url: string;
  dataSource: DataSource;
  drop(): Promise<void>;
}

/** Creates a database of its own; `drop` removes it and closes the pool. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const base = new URL(requireVariable('DATABASE_URL'));
  const name = `switchboard_test_${randomBytes(6).toString('hex')}`;
  const admin = new DataSource(dataSourceOptions(base.href, 1));
  await admin.initialize();
  await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await admin.destroy();
  base.pathname = `/${name}`;
  const dataSource = new DataSource(dataSourceOptions(base.href, 8));
  await dataSource.initialize();
  await dataSource.runMigrations();
  return {
    url: base.href,
    dataSource,
    drop: async () => {
      await dataSource.query(`DROP DATABASE ${name}`);
      await dataSource.destroy();
    },
  };
}

/** Servers for tests come from the environment; `npm test` provides them. */
export function requireVariable(name: 'DATABASE_URL' | 'REDIS_URL'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with "npm test", which brings up the servers`);
  return value;
}
