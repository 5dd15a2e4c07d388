import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

/** Chat accounts as routes of their own, what comes in over them, and the windows that it opens. */
export class ChatAccounts1700000001000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      `ALTER TABLE routes
        ADD COLUMN account_id INT UNSIGNED NULL,
        ADD COLUMN connection VARCHAR(16) ${ASCII} NULL,
        ADD UNIQUE KEY uq_routes_account (account_id, connection),
        ADD KEY ix_routes_channel (channel)`,
      `CREATE TABLE chat_inbound_messages (
        id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
        route_id INT UNSIGNED NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        message_id VARCHAR(128) NOT NULL,
        contact VARCHAR(32) ${ASCII} NOT NULL,
        type VARCHAR(32) NOT NULL,
        message LONGTEXT NOT NULL,
        sent_at DATETIME(3) NOT NULL,
        received_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_chat_inbound_messages (route_id, message_id),
        KEY ix_chat_inbound_messages_account (account_id, id)
      ) ${TABLE}`,
      `CREATE TABLE chat_windows (
        route_id INT UNSIGNED NOT NULL,
        contact VARCHAR(32) ${ASCII} NOT NULL,
        open_until DATETIME(3) NOT NULL,
        PRIMARY KEY (route_id, contact)
      ) ${TABLE}`,
    ])
      await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['chat_windows', 'chat_inbound_messages']) await queryRunner.query(`DROP TABLE ${table}`);
    await queryRunner.query(`DELETE FROM routes WHERE channel = 'chat'`);
    await queryRunner.query(
      `ALTER TABLE routes DROP KEY ix_routes_channel, DROP KEY uq_routes_account, DROP COLUMN connection, DROP COLUMN account_id`,
    );
  }
}
