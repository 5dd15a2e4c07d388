import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is of unknown outcome only because a worker was taken for dead: that worker, should it live, knows who never left. */
export class LostClaims1700000013900 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE unknown_outcomes ADD COLUMN lost_fence INT UNSIGNED NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE unknown_outcomes DROP COLUMN lost_fence');
  }
}
