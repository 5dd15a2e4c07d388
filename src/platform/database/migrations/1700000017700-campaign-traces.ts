import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace that a campaign's sends and receipts go on with, where traces are recorded (docs/decisions/0052). */
export class CampaignTraces1700000017700 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaigns', 'trace_parent')) return;
    await queryRunner.query(
      'ALTER TABLE campaigns ADD COLUMN trace_parent VARCHAR(55) CHARACTER SET ascii COLLATE ascii_bin NULL, ALGORITHM=INSTANT',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN trace_parent');
  }
}
