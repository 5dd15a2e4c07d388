import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';

const KEYS = [
  ['accounts', 'ix_accounts_firstname', 'firstname'],
  ['accounts', 'ix_accounts_lastname', 'lastname'],
  ['templates', 'ix_templates_name', 'name'],
  ['session_messages', 'ix_session_messages_receiver', 'receiver, id, account_id'],
] as const;

/** What the search box finds by its beginning, or by the number, whatever the size of the table (docs/decisions/0046). */
export class SearchedNames1700000017101 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, key, columns] of KEYS) {
      if (await hasIndex(queryRunner, table, key)) continue;
      await queryRunner.query(`ALTER TABLE ${table} ADD KEY ${key} (${columns}), ALGORITHM=INPLACE, LOCK=NONE`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, key] of KEYS) {
      await queryRunner.query(`ALTER TABLE ${table} DROP KEY ${key}, ALGORITHM=INPLACE, LOCK=NONE`);
    }
  }
}
