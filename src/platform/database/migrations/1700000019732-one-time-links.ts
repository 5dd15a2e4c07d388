import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links by which people join an account or set a new password, and people who have not joined yet. */
export class OneTimeLinks1700000019732 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS one_time_links (
      subject_id BIGINT NOT NULL,
      purpose VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      account_id INT UNSIGNED NOT NULL,
      digest BINARY(32) NOT NULL,
      created_by VARCHAR(128) NULL,
      created_at DATETIME(3) NOT NULL,
      expires_at DATETIME(3) NOT NULL,
      PRIMARY KEY (subject_id, purpose),
      UNIQUE KEY uq_one_time_links_digest (digest),
      KEY ix_one_time_links_expires (expires_at),
      KEY ix_one_time_links_created_by (created_by)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`);
    if (await queryRunner.hasColumn('assigned_users', 'is_invited')) return;
    await queryRunner.query(
      'ALTER TABLE assigned_users ADD COLUMN is_invited TINYINT(1) NOT NULL DEFAULT 0, ALGORITHM=INSTANT',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS one_time_links');
    await queryRunner.query('ALTER TABLE assigned_users DROP COLUMN is_invited');
  }
}
