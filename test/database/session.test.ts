import type { Pool, PoolOptions } from 'mysql2';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../src/platform/config/index.js';
import { dataSourceOptions, OtherDatabase, ReadDatabase } from '../../src/platform/database/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const TEXTS = [
  "it's",
  'a \\ b',
  'ends with \\',
  "\\'",
  '\\" and "quotes"',
  "x' OR '1'='1",
  "\\' OR 1=1 -- ",
  'line\nand\0zero',
  'é ह 🎉',
];
/** What a server says to each connection whose own settings are none of ours. */
const HOSTILE = [
  `SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT', time_zone = '+05:30', autocommit = 0`,
  'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  'SET NAMES latin1',
];

interface Session {
  mode: string;
  zone: string;
  isolation: string;
  autocommit: number;
  client: string;
  results: string;
  collation: string;
}
const OURS: Session = {
  mode: 'ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_TRANS_TABLES',
  zone: '+00:00',
  isolation: 'READ-COMMITTED',
  autocommit: 1,
  client: 'utf8mb4',
  results: 'utf8mb4',
  collation: 'utf8mb4_bin',
};

type Asked = <T>(sql: string, values?: unknown[]) => Promise<T>;

async function sessionOf(ask: Asked): Promise<Session> {
  const rows = await ask<{ Variable_name: string; Value: string }[]>(
    `SHOW SESSION VARIABLES WHERE Variable_name IN ('sql_mode', 'time_zone', 'tx_isolation', 'transaction_isolation',
       'autocommit', 'character_set_client', 'character_set_results', 'collation_connection')`,
  );
  const value = new Map(rows.map((row) => [row.Variable_name, row.Value]));
  return {
    mode: (value.get('sql_mode') ?? '').split(',').sort().join(','),
    zone: value.get('time_zone') ?? '',
    isolation: value.get('transaction_isolation') ?? value.get('tx_isolation') ?? '',
    autocommit: Number(value.get('autocommit') === 'ON'),
    client: value.get('character_set_client') ?? '',
    results: value.get('character_set_results') ?? '',
    collation: value.get('collation_connection') ?? '',
  };
}

describe('a session', () => {
  let database: TestDatabase;
  const opened: { destroy(): Promise<void> }[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.dataSource.query('CREATE TABLE texts (id INT NOT NULL PRIMARY KEY, value TEXT NOT NULL)');
  });
  afterAll(async () => {
    for (const source of opened) await source.destroy();
    await database.drop();
  });

  /** The process's own pool, on a server that begins each session in its own way. */
  async function onHostileServer(queryTimeout: number): Promise<DataSource> {
    const options = dataSourceOptions(database.url, 2, { queryTimeout, poolWait: 10_000 });
    const own = (options as { driver: { createPool(given: PoolOptions): Pool } }).driver;
    const createPool = (given: PoolOptions): Pool => {
      const pool = own.createPool(given);
      pool.on('connection', (connection) => {
        for (const statement of HOSTILE) connection.query(statement);
      });
      return pool;
    };
    const source = await new DataSource({ ...options, driver: { createPool } }).initialize();
    opened.push(source);
    return source;
  }

  it.each([
    ['with a bound for statements', 25_000],
    ['without one, as migrations have it', 0],
  ])('states what it relies on, whatever the server says: %s', async (_, queryTimeout) => {
    const source = await onHostileServer(queryTimeout);
    expect(await sessionOf((sql, values) => source.query(sql, values))).toEqual(OURS);
  });

  it('keeps every text as it is, and none ends its literal, on a server with NO_BACKSLASH_ESCAPES', async () => {
    const source = await onHostileServer(25_000);
    for (const [id, text] of TEXTS.entries()) {
      await source.query('INSERT INTO texts (id, value) VALUES (?, ?)', [id, text]);
      expect(await source.query('SELECT id FROM texts WHERE value = ?', [text])).toEqual([{ id }]);
      expect(await source.query('SELECT value FROM texts WHERE id = ?', [id])).toEqual([{ value: text }]);
    }
    // committed, though the server had turned autocommit off
    expect(await database.dataSource.query('SELECT COUNT(*) AS n FROM texts')).toEqual([{ n: TEXTS.length }]);
    await expect(source.query("INSERT INTO texts (id, value) VALUES ('a', '')")).rejects.toThrow(/integer/i);
  });

  it('states it through every door', async () => {
    const other = new OtherDatabase(database.url);
    opened.push({ destroy: () => other.close() });
    const read = new ReadDatabase(database.dataSource, {
      DATABASE_READ_URL: database.url,
      DATABASE_READ_LAG: 60_000,
      DATABASE_POOL_SIZE: 2,
      DATABASE_QUERY_TIMEOUT: 25_000,
    } as Environment);
    opened.push({ destroy: () => read.onApplicationShutdown() });
    const replicas: unknown[] = [];
    read.events.on('replica', () => replicas.push(true));
    const doors: Asked[] = [
      (sql, values) => database.dataSource.query(sql, values),
      (sql, values) => other.query(sql, values),
      (sql, values) => read.query(sql, values),
    ];
    for (const ask of doors) expect(await sessionOf(ask)).toEqual(OURS);
    expect(replicas).toHaveLength(1);
  });

  it('ends when its owner falls silent in a transaction', async () => {
    const rows = await database.dataSource.query<{ Variable_name: string; Value: string }[]>(
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('idle_transaction_timeout', 'wait_timeout')",
    );
    const bound = new Map(rows.map((row) => [row.Variable_name, Number(row.Value)]));
    // MariaDB's own, half of the 25 s of a statement; MySQL's is that of a silent connection, longer than the pool keeps one.
    expect(bound.get('idle_transaction_timeout') ?? bound.get('wait_timeout')).toBe(
      bound.has('idle_transaction_timeout') ? 13 : 25,
    );
  });
});
