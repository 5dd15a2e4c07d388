import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lanes of which nothing gets through have a deadline: since when that is so. Lanes under way begin with a full one. */
export class StalledLanes1700000013100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaign_lanes ADD COLUMN stalled_since datetime(3) NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE campaign_lanes DROP COLUMN stalled_since');
  }
}
