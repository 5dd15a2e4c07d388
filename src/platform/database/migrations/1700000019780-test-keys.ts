import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Asked } from '../day-partitions.js';

const TABLES = ['api_keys', 'campaigns', 'session_messages'];

/** Lists by account, of live or of test rows. The names stay: the version before forces these indexes. */
const INDEXES = [
  { table: 'campaigns', name: 'ix_campaigns_account', now: 'account_id, is_test, id', before: 'account_id, id' },
  {
    table: 'campaigns',
    name: 'ix_campaigns_account_state',
    now: 'account_id, state, channel, is_test, id',
    before: 'account_id, state, channel, id',
  },
  {
    table: 'session_messages',
    name: 'ix_session_messages_account',
    now: 'account_id, is_test, id',
    before: 'account_id, id',
  },
  {
    table: 'session_messages',
    name: 'ix_session_messages_account_status',
    now: 'account_id, status, scheduled, is_test, id',
    before: 'account_id, status, scheduled, id',
  },
];

async function knowsTests(db: Asked, table: string, index: string): Promise<boolean> {
  const found = await db.query<unknown[]>(
    `SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?
       AND column_name = 'is_test' LIMIT 1`,
    [table, index],
  );
  return found.length > 0;
}

/** Test keys, and what is sent with them. */
export class TestKeys1700000019780 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      if (!(await queryRunner.hasColumn(table, 'is_test')))
        await queryRunner.query(
          `ALTER TABLE ${table} ADD COLUMN is_test TINYINT UNSIGNED NOT NULL DEFAULT 0, ALGORITHM=INSTANT`,
        );
    }
    for (const { table, name, now } of INDEXES) {
      if (!(await knowsTests(queryRunner, table, name)))
        await queryRunner.query(
          `ALTER TABLE ${table} DROP INDEX ${name}, ADD INDEX ${name} (${now}), ALGORITHM=INPLACE, LOCK=NONE`,
        );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { table, name, before } of INDEXES) {
      if (await knowsTests(queryRunner, table, name))
        await queryRunner.query(
          `ALTER TABLE ${table} DROP INDEX ${name}, ADD INDEX ${name} (${before}), ALGORITHM=INPLACE, LOCK=NONE`,
        );
    }
    for (const table of TABLES) {
      if (await queryRunner.hasColumn(table, 'is_test'))
        await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN is_test`);
    }
  }
}
