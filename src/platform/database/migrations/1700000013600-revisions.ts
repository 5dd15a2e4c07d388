import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often the owner has changed what staff judge; what stands there already counts as never changed. */
export class Revisions1700000013600 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['templates', 'profile_requests']) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN revision INT UNSIGNED NOT NULL DEFAULT 1`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['profile_requests', 'templates']) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN revision`);
    }
  }
}
