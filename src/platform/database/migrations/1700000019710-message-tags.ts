import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from './schema-parts.js';

const TABLES = ['campaigns', 'session_messages'];
const CONTACTS = 'ix_chat_inbound_messages_contact';

/** What the sender of a message says about it, and inbound chat messages by their contact. */
export class MessageTags1700000019710 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      if (!(await queryRunner.hasColumn(table, 'tags')))
        await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN tags TEXT NULL, ALGORITHM=INSTANT`);
    }
    if (!(await hasIndex(queryRunner, 'chat_inbound_messages', CONTACTS)))
      await queryRunner.query(
        `ALTER TABLE chat_inbound_messages ADD INDEX ${CONTACTS} (account_id, contact, id), ALGORITHM=INPLACE, LOCK=NONE`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await hasIndex(queryRunner, 'chat_inbound_messages', CONTACTS))
      await queryRunner.query(`ALTER TABLE chat_inbound_messages DROP INDEX ${CONTACTS}`);
    for (const table of TABLES) {
      if (await queryRunner.hasColumn(table, 'tags')) await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN tags`);
    }
  }
}
