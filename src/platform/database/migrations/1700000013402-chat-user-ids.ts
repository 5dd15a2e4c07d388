import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
/** Columns that hold a number or a user id. */
const ADDRESSES = [
  ['chat_inbound_messages', 'contact'],
  ['chat_windows', 'contact'],
  ['suppressions', 'number'],
] as const;

/** Chat contacts that show no number: their user ids where numbers stand, and which number is whose. */
export class ChatUserIds1700000013402 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column] of ADDRESSES) {
      await queryRunner.query(`ALTER TABLE ${table} MODIFY COLUMN ${column} VARCHAR(160) ${ASCII} NOT NULL`);
    }
    await queryRunner.query(
      `CREATE TABLE chat_contacts (
        route_id INT UNSIGNED NOT NULL,
        user_id VARCHAR(160) ${ASCII} NOT NULL,
        number VARCHAR(32) ${ASCII} NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (route_id, user_id),
        KEY ix_chat_contacts_number (route_id, number)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE chat_contacts');
    for (const [table, column] of ADDRESSES) {
      await queryRunner.query(`DELETE FROM ${table} WHERE CHAR_LENGTH(${column}) > 32`);
      await queryRunner.query(`ALTER TABLE ${table} MODIFY COLUMN ${column} VARCHAR(32) ${ASCII} NOT NULL`);
    }
  }
}
