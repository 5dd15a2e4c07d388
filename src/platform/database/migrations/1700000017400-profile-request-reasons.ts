import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why staff have rejected a profile request. */
export class ProfileRequestReasons1700000017400 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('profile_requests', 'reason')) return;
    await queryRunner.query('ALTER TABLE profile_requests ADD COLUMN reason VARCHAR(500) NULL, ALGORITHM=INSTANT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE profile_requests DROP COLUMN reason');
  }
}
