import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Copies that were taken into use, and the campaigns of which they left something undecided (docs/decisions/0042). */
export class Restores1700000016500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS restores (
        id BIGINT NOT NULL PRIMARY KEY,
        restored_at DATETIME(3) NOT NULL
      ) ENGINE = InnoDB`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS restored_campaigns (
        campaign_id BIGINT NOT NULL,
        restore_id BIGINT NOT NULL,
        held TINYINT UNSIGNED NOT NULL DEFAULT 0,
        resumed_at DATETIME(3) NULL,
        PRIMARY KEY (campaign_id, restore_id)
      ) ENGINE = InnoDB`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS restored_campaigns');
    await queryRunner.query('DROP TABLE IF EXISTS restores');
  }
}
