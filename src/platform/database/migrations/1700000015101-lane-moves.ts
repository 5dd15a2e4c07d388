import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a lane has been handed to another route: the more often, the longer it waits before the next time. */
export class LaneMoves1700000015101 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaign_lanes', 'moves')) return;
    await queryRunner.query('ALTER TABLE campaign_lanes ADD COLUMN moves TINYINT UNSIGNED NOT NULL DEFAULT 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaign_lanes DROP COLUMN moves');
  }
}
