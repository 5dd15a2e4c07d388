import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { inject } from 'vitest';
import { dataSourceOptions } from '../../src/platform/database/index.js';

/** A fresh, migrated database on the server of `DATABASE_URL`, for one test file. */
export interface TestDatabase {
  url: string;
  dataSource: DataSource;
  drop(): Promise<void>;
}

/** Creates a database of its own, a copy of the migrated one; `drop` removes it and closes the pool. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = new URL(requireVariable('DATABASE_URL'));
  const { prefix, statements } = inject('schema');
  const name = prefix + randomBytes(6).toString('hex');
  const server = await createConnection({ uri: url.href, multipleStatements: true });
  await server.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\nUSE ${name};\n${statements}`);
  await server.end();
  url.pathname = `/${name}`;
  const dataSource = await new DataSource(dataSourceOptions(url.href, 8)).initialize();
  return {
    url: url.href,
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
