import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** Verifications of telephone numbers, their texts and their counts by day. */
export class Verifications1700000019750 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS verifications (
      id BIGINT NOT NULL,
      account_id INT UNSIGNED NOT NULL,
      is_test TINYINT UNSIGNED NOT NULL,
      receiver VARCHAR(254) NOT NULL,
      open_key VARCHAR(64) ${ASCII} NULL,
      channels VARCHAR(64) ${ASCII} NOT NULL,
      position TINYINT UNSIGNED NOT NULL,
      status VARCHAR(10) ${ASCII} NOT NULL,
      wanted TEXT NOT NULL,
      code_hash VARCHAR(80) ${ASCII} NULL,
      code_sealed VARCHAR(160) ${ASCII} NULL,
      tries TINYINT UNSIGNED NOT NULL,
      sends TINYINT UNSIGNED NOT NULL,
      credits INT UNSIGNED NOT NULL,
      campaign_id BIGINT NULL,
      created_by VARCHAR(255) NOT NULL,
      created_at DATETIME(3) NOT NULL,
      updated_at DATETIME(3) NOT NULL,
      expires_at DATETIME(3) NOT NULL,
      next_at DATETIME(3) NULL,
      look_at DATETIME(3) NULL,
      PRIMARY KEY (id),
      UNIQUE KEY uq_verifications_open (account_id, open_key),
      KEY ix_verifications_account (account_id, is_test, id),
      KEY ix_verifications_look (look_at)
    ) ${TABLE}`);
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS verification_texts (
      name VARCHAR(32) ${ASCII} NOT NULL,
      locale VARCHAR(16) ${ASCII} NOT NULL,
      text VARCHAR(320) NOT NULL,
      PRIMARY KEY (name, locale)
    ) ${TABLE}`);
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS verification_days (
      day DATE NOT NULL,
      account_id INT UNSIGNED NOT NULL,
      calling_code VARCHAR(3) ${ASCII} NOT NULL,
      started INT UNSIGNED NOT NULL,
      approved INT UNSIGNED NOT NULL,
      PRIMARY KEY (day, account_id, calling_code),
      KEY ix_verification_days_account (account_id, day)
    ) ${TABLE}`);
    // the names of all types together are longer than 255 characters now
    await queryRunner.query(
      `ALTER TABLE webhook_endpoints MODIFY events VARCHAR(1023) ${ASCII} NOT NULL
       /* copies: an account has at most a hundred endpoints */`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE webhook_endpoints MODIFY events VARCHAR(255) ${ASCII} NOT NULL
       /* copies: an account has at most a hundred endpoints */`,
    );
    for (const table of ['verifications', 'verification_texts', 'verification_days'])
      await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
