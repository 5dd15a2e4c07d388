import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Below which an account wants to be told of a balance; null = never. */
export class BalanceAlerts1700000015303 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('credit_balances', 'alert_below')) return;
    await queryRunner.query('ALTER TABLE credit_balances ADD COLUMN alert_below BIGINT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('credit_balances', 'alert_below'))) return;
    await queryRunner.query('ALTER TABLE credit_balances DROP COLUMN alert_below');
  }
}
