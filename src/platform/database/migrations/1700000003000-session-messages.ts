import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

/** Session messages, scheduled ones too. */
export class SessionMessages1700000003000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE session_messages (
        id BIGINT NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        route_id INT UNSIGNED NOT NULL,
        label VARCHAR(100) NULL,
        receiver VARCHAR(32) ${ASCII} NOT NULL,
        content LONGTEXT NOT NULL,
        status TINYINT UNSIGNED NOT NULL,
        provider_message_id VARCHAR(128) NULL,
        error_code INT NULL,
        error_message VARCHAR(500) NULL,
        due_at DATETIME(3) NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_session_messages_provider (route_id, provider_message_id),
        KEY ix_session_messages_account (account_id, id),
        KEY ix_session_messages_due (due_at),
        KEY ix_session_messages_status (status, updated_at)
      ) ${TABLE}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE session_messages');
  }
}
