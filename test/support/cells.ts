import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { inject } from 'vitest';
import type { Environment } from '../../src/platform/config/index.js';
import { CellDirectory } from '../../src/modules/cell-directory/index.js';
import { type RunningApi, startApi } from './api.js';
import { requireVariable } from './database.js';

export const CELL_TOKEN = 'the-token-of-all-cells';

/** The directory's database, empty. */
export interface DirectoryDatabase {
  url: string;
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

export async function createDirectory(): Promise<DirectoryDatabase> {
  const url = new URL(requireVariable('DATABASE_URL'));
  const name = `${inject('schema').prefix}directory_${randomBytes(4).toString('hex')}`;
  const server = await createConnection({ uri: url.href });
  await server.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await server.query(`USE ${name}`);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: async <Row>(sql: string, values: unknown[] = []) => (await server.query(sql, values))[0] as Row[],
    drop: async () => {
      await server.query(`DROP DATABASE ${name}`);
      await server.end();
    },
  };
}

/** An API of one cell, with the directory's table made. */
export async function startCell(
  cell: string,
  directory: Pick<DirectoryDatabase, 'url'>,
  overrides: Partial<Environment> = {},
): Promise<RunningApi> {
  const api = await startApi({ CELL: cell, CELL_TOKEN, DIRECTORY_URL: directory.url, ...overrides });
  await api.app.get(CellDirectory, { strict: false }).prepare();
  return api;
}
