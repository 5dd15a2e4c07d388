import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The row that one retry of a campaign at a time holds is a lease: a large retry has several commits. */
export class RetryLeases1700000015501 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaign_retries', 'fence')) return;
    await queryRunner.query(
      `ALTER TABLE campaign_retries ADD COLUMN fence INT UNSIGNED NOT NULL DEFAULT 0,
         ADD COLUMN lease_until DATETIME(3) NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaign_retries DROP COLUMN fence, DROP COLUMN lease_until');
  }
}
