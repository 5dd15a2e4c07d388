import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which routes an account may use, and what becomes of numbers that no numbering plan has. */
export class AccountRoutes1700000015201 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('accounts', 'allowed_routes')) return;
    await queryRunner.query(
      `ALTER TABLE accounts
        ADD COLUMN allowed_routes TEXT NULL,
        ADD COLUMN number_check VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'off'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE accounts DROP COLUMN allowed_routes, DROP COLUMN number_check');
  }
}
