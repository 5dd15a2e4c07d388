import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What staff allow an account to send, and prefixes whose traffic looks like fraud. Accounts there already stay open. */
export class Guard1700000019740 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('accounts', 'guard')))
      await queryRunner.query('ALTER TABLE accounts ADD COLUMN guard TEXT NULL, ALGORITHM=INSTANT');
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS account_freezes (
      id BIGINT NOT NULL,
      account_id INT UNSIGNED NOT NULL,
      prefix VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      reason VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      evidence TEXT NOT NULL,
      times INT UNSIGNED NOT NULL,
      frozen_at DATETIME(3) NOT NULL,
      until_at DATETIME(3) NOT NULL,
      released_at DATETIME(3) NULL,
      released_by VARCHAR(128) NULL,
      PRIMARY KEY (id),
      UNIQUE KEY uq_account_freezes_prefix (account_id, prefix),
      KEY ix_account_freezes_account (account_id, id),
      KEY ix_account_freezes_until (until_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS account_freezes');
    if (await queryRunner.hasColumn('accounts', 'guard'))
      await queryRunner.query('ALTER TABLE accounts DROP COLUMN guard');
  }
}
