import { randomBytes } from 'node:crypto';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import type { TestProject } from 'vitest/node';
import { dataSourceOptions } from '../../src/platform/database/index.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** what every test database is made of, by one round trip instead of all migrations */
    schema: Schema;
  }
}

export interface Schema {
  /** what the names of this run's databases begin with */
  prefix: string;
  statements: string;
}

/** Migrates one database and hands its tables to all tests of the project; drops every database of the run at its end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env['DATABASE_URL'];
  if (!url) return () => Promise.resolve();
  const prefix = `switchboard_test_${randomBytes(4).toString('hex')}_`;
  const server = await createConnection({ uri: url });
  const name = `${prefix}migrated`;
  await server.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  const migrated = new URL(url);
  migrated.pathname = `/${name}`;
  const dataSource = await new DataSource(dataSourceOptions(migrated.href, 1)).initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
  project.provide('schema', { prefix, statements: await statementsOf(server, name) });
  await server.end();
  return () => dropAll(url, prefix);
}

/** The tables of a migrated database and the notes of which migrations made them; other rows are not there yet. */
async function statementsOf(server: Connection, name: string): Promise<string> {
  const [tables] = await server.query<RowDataPacket[]>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ?',
    [name],
  );
  const statements: string[] = [];
  for (const table of tables) {
    const [[row]] = await server.query<RowDataPacket[]>(`SHOW CREATE TABLE ${name}.${String(table['name'])}`);
    statements.push(String(row?.['Create Table']));
  }
  return [...statements, `INSERT INTO migrations SELECT * FROM ${name}.migrations`].join(';\n');
}

async function dropAll(url: string, prefix: string): Promise<void> {
  const server = await createConnection({ uri: url });
  const [databases] = await server.query<RowDataPacket[]>(
    'SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name LIKE ?',
    [`${prefix.replaceAll('_', '\\_')}%`],
  );
  for (const { name } of databases) await server.query(`DROP DATABASE ${String(name)}`);
  await server.end();
}
