import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The lane in which a claim lost a recipient: one that a carrier had refused before waits in a lane of another route. */
export class LostLanes1700000015102 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('unknown_outcomes', 'lost_lane')) return;
    await queryRunner.query('ALTER TABLE unknown_outcomes ADD COLUMN lost_lane SMALLINT UNSIGNED NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE unknown_outcomes DROP COLUMN lost_lane');
  }
}
