import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_TABLES } from '../../src/modules/table-rules/index.js';
import { partitionsOf } from '../../src/platform/database/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Made by `prepare` before the first migration. */
const BEFORE_MIGRATIONS = ['migrations_begun', 'preparation_lock'];

describe('the retention rules of tables', () => {
  let database: TestDatabase;
  let tables: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    const rows = await database.dataSource.query<{ name: string }[]>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
    );
    tables = rows.map(({ name }) => name);
  });
  afterAll(() => database.drop());

  const columnsOf = async (table: string, column: string): Promise<unknown[]> =>
    database.dataSource.query(
      'SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?',
      [table, column],
    );

  it('has every table of the schema once, and no other', () => {
    const listed = ALL_TABLES.map(({ table }) => table);
    expect(listed.toSorted()).toEqual([...tables, ...BEFORE_MIGRATIONS].toSorted());
  });

  it('has those by days that are cut into days, and no others', async () => {
    const cut: string[] = [];
    for (const table of tables) if ((await partitionsOf(database.dataSource, table)).length > 0) cut.push(table);
    const listed = ALL_TABLES.filter(({ rule }) => rule === 'days').map(({ table }) => table);
    expect(listed.toSorted()).toEqual(cut.toSorted());
  });

  it('says why where rows stay, or go by themselves', () => {
    const unsaid = ALL_TABLES.filter((entry) => 'why' in entry && entry.why.length < 5);
    expect(unsaid).toEqual([]);
  });

  it('goes by columns that are there, in the order of a key', async () => {
    for (const entry of ALL_TABLES) {
      const column = 'column' in entry ? entry.column : 'of' in entry ? entry.of.column : undefined;
      if (column === undefined) continue;
      expect(await columnsOf(entry.table, column), `${entry.table}.${column}`).toHaveLength(1);
      const keys = await database.dataSource.query<unknown[]>(
        `SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ?
           AND column_name = ? AND seq_in_index = 1`,
        [entry.table, column],
      );
      expect(keys.length, `a key of ${entry.table} that begins with ${column}`).toBeGreaterThan(0);
    }
  });
});
