import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** Uploaded files of recipients, and lists of them (docs/decisions/0031). */
export class RecipientLists1700000015400 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS recipient_uploads (
        id BIGINT NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        state TINYINT UNSIGNED NOT NULL,
        kept_rows INT UNSIGNED NOT NULL,
        facts MEDIUMTEXT NOT NULL,
        fence INT UNSIGNED NOT NULL,
        lease_until DATETIME(3) NULL,
        due_at DATETIME(3) NOT NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_recipient_uploads_account (account_id, state, id),
        KEY ix_recipient_uploads_due (due_at)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS recipient_upload_rows (
        upload_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        number VARCHAR(32) ${ASCII} NOT NULL,
        variables TEXT NULL,
        PRIMARY KEY (upload_id, seq)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS recipient_lists (
        id BIGINT NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        state TINYINT UNSIGNED NOT NULL,
        name VARCHAR(100) NOT NULL,
        members INT UNSIGNED NOT NULL,
        changes BIGINT UNSIGNED NOT NULL,
        frozen_at DATETIME(3) NULL,
        filling_until DATETIME(3) NULL,
        fence INT UNSIGNED NOT NULL,
        lease_until DATETIME(3) NULL,
        due_at DATETIME(3) NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_recipient_lists_account (account_id, state, id),
        KEY ix_recipient_lists_due (due_at)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS recipient_list_members (
        list_id BIGINT NOT NULL,
        number VARCHAR(32) ${ASCII} NOT NULL,
        variables TEXT NULL,
        PRIMARY KEY (list_id, number)
      ) ${TABLE}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['recipient_list_members', 'recipient_lists', 'recipient_upload_rows', 'recipient_uploads']) {
      await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
    }
  }
}
