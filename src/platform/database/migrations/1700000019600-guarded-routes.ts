import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The author of a route's address decides whether it may be a private network (reference/providers#addresses-of-routes). */
export class GuardedRoutes1700000019600 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('routes', 'guarded')) return;
    await queryRunner.query('ALTER TABLE routes ADD COLUMN guarded TINYINT NOT NULL DEFAULT 0, ALGORITHM = INSTANT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('routes', 'guarded')) {
      await queryRunner.query('ALTER TABLE routes DROP COLUMN guarded');
    }
  }
}
