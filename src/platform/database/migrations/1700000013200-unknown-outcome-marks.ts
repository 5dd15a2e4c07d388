import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who was ever of unknown outcome carries a mark of his own, because the list that receipts are matched with ends with
 * the deadline. A column at the end with a default: both servers add it without touching a row.
 */
export class UnknownOutcomeMarks1700000013200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE campaign_recipients ADD COLUMN outcome_unknown TINYINT UNSIGNED NOT NULL DEFAULT 0',
    );
    await queryRunner.query(
      `UPDATE unknown_outcomes u STRAIGHT_JOIN campaign_recipients r ON r.campaign_id = u.campaign_id AND r.seq = u.seq
       SET r.outcome_unknown = 1`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaign_recipients DROP COLUMN outcome_unknown');
  }
}
