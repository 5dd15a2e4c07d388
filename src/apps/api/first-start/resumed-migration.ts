import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { again, type WriteResult } from '../../../platform/database/index.js';

const TABLE = 'migrations_begun';
/** What a change of a table that has been made already fails with: the table, column or key is there, or it is gone. */
const MADE: ReadonlySet<unknown> = new Set([
  'ER_TABLE_EXISTS_ERROR',
  'ER_DUP_FIELDNAME',
  'ER_DUP_KEYNAME',
  'ER_CANT_DROP_FIELD_OR_KEY',
]);

/** Where migrations that were begun are marked. */
export async function prepareMarks(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    again(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (name VARCHAR(191) CHARACTER SET ascii NOT NULL PRIMARY KEY) ENGINE = InnoDB`,
    ),
  );
}

/** All that were begun are applied. */
export async function removeMarks(dataSource: DataSource): Promise<void> {
  await dataSource.query(again(`DELETE FROM ${TABLE}`));
}

/**
 * A migration that goes on where it was broken off. Servers end a transaction with each change of a table (MariaDB: implicit
 * commit): of a migration whose process was killed the first changes are there, and it is not noted as applied. A mark that is
 * committed with its first change tells so, and then what is made already is left out. Without the mark it is a fault: what stands
 * there is another application's.
 */
export class ResumedMigration implements MigrationInterface {
  readonly name: string;

  constructor(private readonly migration: MigrationInterface) {
    this.name = migration.name ?? migration.constructor.name;
  }

  async up(runner: QueryRunner): Promise<void> {
    const marked = (await runner.query(`INSERT IGNORE INTO ${TABLE} (name) VALUES (?)`, [this.name])) as WriteResult;
    await this.migration.up(marked.affectedRows === 0 ? leavingOutMade(runner) : runner);
  }

  down(runner: QueryRunner): Promise<void> {
    return this.migration.down(runner);
  }
}

/** The same runner, for which a change that has been made already is made. */
function leavingOutMade(runner: QueryRunner): QueryRunner {
  const query = async (sql: string, values?: unknown[]): Promise<unknown> => {
    try {
      return await runner.query(sql, values);
    } catch (error) {
      if (MADE.has((error as { code?: unknown }).code)) return [];
      throw error;
    }
  };
  return new Proxy(runner, {
    get: (target, name) => {
      const value: unknown = name === 'query' ? query : Reflect.get(target, name);
      return typeof value === 'function' && name !== 'query' ? (value.bind(target) as unknown) : value;
    },
  });
}
