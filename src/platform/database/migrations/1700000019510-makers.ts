import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from './schema-parts.js';

const TABLES = [
  'accounts',
  'api_keys',
  'assigned_users',
  'campaigns',
  'credit_ledger',
  'recipient_lists',
  'recipient_uploads',
  'sender_ids',
  'session_messages',
  'webhook_endpoints',
];

/** Adds the maker of a row (`kernel/maker.ts`; null = before this version), and the account of an audit entry. */
export class Makers1700000019510 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      if (await queryRunner.hasColumn(table, 'created_by')) continue;
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN created_by VARCHAR(128) NULL, ALGORITHM=INSTANT`);
    }
    if (!(await hasIndex(queryRunner, 'accounts', 'ix_accounts_created_by')))
      await queryRunner.query(
        'ALTER TABLE accounts ADD KEY ix_accounts_created_by (created_by), ALGORITHM=INPLACE, LOCK=NONE',
      );
    if (!(await queryRunner.hasColumn('audit_log', 'account_id')))
      await queryRunner.query(
        `ALTER TABLE audit_log ADD COLUMN account_id INT UNSIGNED NULL,
           ADD KEY ix_audit_log_concerned (account_id, id), ALGORITHM=INPLACE, LOCK=NONE`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE audit_log DROP KEY ix_audit_log_concerned, DROP COLUMN account_id, ALGORITHM=INPLACE, LOCK=NONE',
    );
    await queryRunner.query('ALTER TABLE accounts DROP KEY ix_accounts_created_by, ALGORITHM=INPLACE, LOCK=NONE');
    for (const table of TABLES)
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN created_by, ALGORITHM=INPLACE, LOCK=NONE`);
  }
}
