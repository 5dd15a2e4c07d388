import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryRunner } from 'typeorm';
import { prepareMarks, ResumedMigration } from '../../src/apps/api/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

class BrokenOff extends Error {}

/** The same runner, for so many statements: the process dies after the last of them. */
function dying(runner: QueryRunner, statements: number): QueryRunner {
  let left = statements;
  return new Proxy(runner, {
    get: (target, name) => {
      if (name !== 'query') {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      }
      return async (sql: string, values?: unknown[]): Promise<unknown> => {
        const answer: unknown = await target.query(sql, values);
        if (--left === 0) throw new BrokenOff();
        return answer;
      };
    },
  });
}

describe('migrations that were broken off after every one of their statements', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('go on from an empty database, as a first start that was killed again and again', async () => {
    const { dataSource } = database;
    const runner = dataSource.createQueryRunner();
    const tables = (await runner.query('SHOW TABLES')) as Record<string, string>[];
    await runner.query('SET foreign_key_checks = 0');
    for (const name of tables.flatMap((row) => Object.values(row)).filter((name) => name !== 'migrations'))
      await runner.query(`DROP TABLE ${name}`);
    await runner.query('DELETE FROM migrations');
    await runner.query('SET foreign_key_checks = 1');
    await prepareMarks(dataSource);
    const tries = async (migration: ResumedMigration, statements: number): Promise<boolean> => {
      await runner.startTransaction();
      try {
        await migration.up(dying(runner, statements));
        await runner.commitTransaction();
        return true;
      } catch (error) {
        if (!(error instanceof BrokenOff)) throw error;
        await runner.rollbackTransaction(); // as the server does with what was not committed
        return false;
      }
    };
    const made = async (): Promise<unknown> =>
      runner.query(
        `SELECT (SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE()) AS columns_made,
           (SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE()) AS keys_made`,
      );
    let deaths = 0;
    for (const migration of dataSource.migrations) {
      const resumed = new ResumedMigration(migration);
      // A try that made something is repeated with as many statements; one that did not gets one more.
      for (let statements = 1, before = await made(); !(await tries(resumed, statements)); deaths++) {
        const after = await made();
        if (isDeepStrictEqual(before, after)) statements++;
        before = after;
      }
    }
    await runner.release();
    expect(deaths).toBeGreaterThan(75);
    expect((await dataSource.driver.createSchemaBuilder().log()).upQueries).toEqual([]);
  });

  it('take no table for their own that was there before they began', async () => {
    const { dataSource } = database;
    const runner = dataSource.createQueryRunner();
    const strange = new ResumedMigration({
      name: 'Strange1',
      up: (tx) => tx.query('CREATE TABLE campaigns (id INT)'),
      down: () => Promise.resolve(),
    });
    await expect(strange.up(runner)).rejects.toThrow('already exists');
    await runner.release();
  });
});
