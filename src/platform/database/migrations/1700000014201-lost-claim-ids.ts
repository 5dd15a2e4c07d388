import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which claim left a recipient of unknown outcome, by its id: the notes that a killed worker leaves behind name it. */
export class LostClaimIds1700000014201 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('unknown_outcomes', 'lost_claim')) return;
    await queryRunner.query('ALTER TABLE unknown_outcomes ADD COLUMN lost_claim BIGINT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE unknown_outcomes DROP COLUMN lost_claim');
  }
}
