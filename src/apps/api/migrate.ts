import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { again, inTransaction, type WriteResult } from '../../platform/database/index.js';

const TABLE = 'migrations_begun';
// Errors of a schema change that was applied before: the table, column or key exists, or is gone.
const MADE: ReadonlySet<unknown> = new Set([
  'ER_TABLE_EXISTS_ERROR',
  'ER_DUP_FIELDNAME',
  'ER_DUP_KEYNAME',
  'ER_CANT_DROP_FIELD_OR_KEY',
]);

export async function prepareMarks(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    again(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (name VARCHAR(191) CHARACTER SET ascii NOT NULL PRIMARY KEY) ENGINE = InnoDB`,
    ),
  );
}

async function removeMarks(dataSource: DataSource): Promise<void> {
  await dataSource.query(again(`DELETE FROM ${TABLE}`));
}

/**
 * A migration that resumes after an interruption. Each schema change commits implicitly, so a killed migration leaves its
 * first changes without being recorded. A mark committed with the first change identifies it: then errors of applied
 * changes are ignored. Without the mark they stay errors, because the objects belong to another application.
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

const BEAT_MS = 1_000;
// A waiter that reads the same beat this often, a second apart, takes over: the holder is dead.
const READS = 20;
const LOCK_PATIENCE_MS = 300_000;

interface Holder {
  owner: string;
  beat: number;
}

/**
 * Runs `work` under the database lock, so that instances that start together migrate and seed once. The lock is a row,
 * because GET_LOCK is local to a cluster node. A waiter takes over when the beat stops changing (Error after five minutes);
 * it also writes, so that a cluster that blocks the holder's beat during a schema change blocks it too.
 */
export async function whileLocked<T>(dataSource: DataSource, work: () => Promise<T>, beatMs = BEAT_MS): Promise<T> {
  const owner = randomUUID();
  await dataSource.query(
    `CREATE TABLE IF NOT EXISTS preparation_lock (id TINYINT NOT NULL PRIMARY KEY, owner CHAR(36) CHARACTER SET ascii NULL,
       beat BIGINT NOT NULL, looks BIGINT NOT NULL) ENGINE = InnoDB`,
  );
  await dataSource.query('INSERT IGNORE INTO preparation_lock (id, owner, beat, looks) VALUES (1, NULL, 0, 0)');
  await take(dataSource, owner, beatMs);
  const beats = new PeriodicTask(
    beatMs,
    async () => {
      await changed(dataSource, 'beat = beat + 1 WHERE id = 1 AND owner = ?', [owner]);
    },
    () => undefined, // the next beat follows; a lock lost by failed beats is detected at the end
  );
  beats.start();
  const outcome = await work().then(
    (result) => () => result,
    (error: unknown) => () => {
      throw error;
    },
  );
  await beats.stop();
  const kept = await changed(dataSource, 'owner = NULL, beat = beat + 1 WHERE id = 1 AND owner = ?', [owner]);
  const result = outcome();
  if (!kept) throw new Error('Another process took over the preparation of this database');
  return result;
}

async function take(dataSource: DataSource, owner: string, beatMs: number): Promise<void> {
  const until = performance.now() + LOCK_PATIENCE_MS;
  let seen: Holder | null = null;
  for (let reads = 0; ; reads++) {
    if (await changed(dataSource, 'owner = ?, beat = beat + 1 WHERE id = 1 AND owner IS NULL', [owner])) return;
    const holder = await readHolder(dataSource);
    if (holder && seen?.owner === holder.owner && seen.beat === holder.beat) {
      const { owner: dead, beat } = holder;
      const taken = 'owner = ?, beat = beat + 1 WHERE id = 1 AND owner = ? AND beat = ?';
      if (reads >= READS && (await changed(dataSource, taken, [owner, dead, beat]))) return;
    } else reads = 0;
    seen = holder;
    if (performance.now() > until) throw new Error('Another process has been preparing this database for five minutes');
    await sleep(beatMs);
  }
}

function readHolder(dataSource: DataSource): Promise<Holder | null> {
  const work = async (tx: EntityManager): Promise<Holder | null> => {
    await tx.query('UPDATE preparation_lock SET looks = looks + 1 WHERE id = 1');
    const [row] = await tx.query<(Holder | { owner: null; beat: number })[]>(
      'SELECT owner, beat FROM preparation_lock WHERE id = 1',
    );
    return row?.owner ? { owner: row.owner, beat: row.beat } : null;
  };
  return inTransaction(dataSource, work, { again: 'one more read changes nothing' });
}

async function changed(dataSource: DataSource, change: string, parameters: unknown[]): Promise<boolean> {
  const { affectedRows } = await dataSource.query<WriteResult>(`UPDATE preparation_lock SET ${change}`, parameters);
  return affectedRows === 1;
}

/** Applies missing migrations, each in its own transaction, and resumes an interrupted one. Returns the applied names. */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  await prepareMarks(dataSource);
  const migrations = dataSource.migrations.map((migration) =>
    migration instanceof ResumedMigration ? migration : new ResumedMigration(migration),
  );
  Object.assign(dataSource, { migrations });
  const applied = await dataSource.runMigrations({ transaction: 'each' });
  await removeMarks(dataSource);
  return applied.map((migration) => migration.name);
}
