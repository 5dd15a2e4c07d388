import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the owner's settings for sending and reports without a login (reference/accounts#security). */
export class OwnersSecurity1700000019601 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('accounts', 'security_chosen_at')) return;
    await queryRunner.query(
      `ALTER TABLE accounts ADD COLUMN own_require_token TINYINT NOT NULL DEFAULT 0,
         ADD COLUMN protect_reports TINYINT NOT NULL DEFAULT 0, ADD COLUMN body_username_ips TEXT NULL,
         ADD COLUMN security_chosen_at DATETIME(3) NULL, ALGORITHM = INSTANT`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('accounts', 'security_chosen_at'))) return;
    await queryRunner.query(
      `ALTER TABLE accounts DROP COLUMN own_require_token, DROP COLUMN protect_reports, DROP COLUMN body_username_ips,
         DROP COLUMN security_chosen_at`,
    );
  }
}
