import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';

/** Keys by which rows go that are older than what is kept. */
const KEYS = [
  ['chat_inbound_messages', 'ix_chat_inbound_messages_received', 'received_at'],
  ['chat_windows', 'ix_chat_windows_open', 'open_until'],
  ['chat_contacts', 'ix_chat_contacts_updated', 'updated_at'],
] as const;

/** What contacts write goes by its age (docs/decisions/0022). */
export class Ages1700000014601 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, key, column] of KEYS) {
      if (await hasIndex(queryRunner, table, key)) continue;
      await queryRunner.query(`CREATE INDEX ${key} ON ${table} (${column})`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, key] of KEYS) await queryRunner.query(`DROP INDEX ${key} ON ${table}`);
  }
}
