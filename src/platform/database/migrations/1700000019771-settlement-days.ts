import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Signed days: settlements of all accounts, and the audit log. */
export class SettlementDays1700000019771 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS settlement_days (
      day DATE NOT NULL,
      number INT UNSIGNED NOT NULL,
      last_id BIGINT NOT NULL,
      audit_last BIGINT NOT NULL,
      restore_id BIGINT NULL,
      statement TEXT NOT NULL,
      digest BINARY(32) NOT NULL,
      signature BINARY(64) NOT NULL,
      PRIMARY KEY (day)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`);
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS settlement_day_pages (
      day DATE NOT NULL,
      page INT UNSIGNED NOT NULL,
      after_id BIGINT NOT NULL,
      root BINARY(32) NOT NULL,
      PRIMARY KEY (day, page)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS settlement_days');
    await queryRunner.query('DROP TABLE IF EXISTS settlement_day_pages');
  }
}
