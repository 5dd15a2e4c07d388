import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests with an Idempotency-Key and their outcomes, kept for 24 hours (reference/idempotency#idempotency-key). */
export class Idempotency1700000011000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE idempotency_keys (
      account_id INT UNSIGNED NOT NULL,
      endpoint VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      idempotency_key VARCHAR(255) NOT NULL,
      digest BINARY(32) NOT NULL,
      token CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      lease_until DATETIME(3) NULL,
      outcome LONGTEXT NULL,
      created_at DATETIME(3) NOT NULL,
      PRIMARY KEY (account_id, endpoint, idempotency_key),
      KEY ix_idempotency_keys_created (created_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE idempotency_keys');
  }
}
