import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';

/** The index by which recipients leave the list of unknown outcomes, whatever has become of their campaign. */
export class AgesOfUnknownOutcomes1700000018700 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await hasIndex(queryRunner, 'unknown_outcomes', 'ix_unknown_outcomes_created')) return;
    await queryRunner.query(
      'ALTER TABLE unknown_outcomes ADD KEY ix_unknown_outcomes_created (created_at), ALGORITHM=INPLACE, LOCK=NONE',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE unknown_outcomes DROP KEY ix_unknown_outcomes_created, ALGORITHM=INPLACE, LOCK=NONE',
    );
  }
}
