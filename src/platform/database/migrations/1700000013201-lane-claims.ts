import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A claim carries an id of its own, so that its maker can give it back when the answer was lost; and the retries of a lane
 * that are begun and those that wait are each found by the first entry of the index.
 */
export class LaneClaims1700000013201 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      'ALTER TABLE campaign_lanes ADD COLUMN claim_id BIGINT NULL',
      `ALTER TABLE recipient_retries DROP INDEX ix_recipient_retries_due,
        ADD INDEX ix_recipient_retries_due (campaign_id, lane, intent_fence, due_at)`,
    ])
      await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      `ALTER TABLE recipient_retries DROP INDEX ix_recipient_retries_due,
        ADD INDEX ix_recipient_retries_due (campaign_id, lane, due_at)`,
      'ALTER TABLE campaign_lanes DROP COLUMN claim_id',
    ])
      await queryRunner.query(statement);
  }
}
