import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A person whom a carrier says to have left a category is on the stop list for it alone. */
export class OptOuts1700000019681 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('suppressions', 'category')) return;
    await queryRunner.query('ALTER TABLE suppressions ADD COLUMN category VARCHAR(16) NULL, ALGORITHM=INSTANT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('suppressions', 'category')) {
      await queryRunner.query('ALTER TABLE suppressions DROP COLUMN category');
    }
  }
}
