import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from './schema-parts.js';

/** Adds the time when unsent recipients of a lane are settled without its route; at once for campaigns stopped before. */
export class SettlementOfLanes1700000019300 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('campaign_lanes', 'settle_at'))) {
      await queryRunner.query('ALTER TABLE campaign_lanes ADD COLUMN settle_at DATETIME(3) NULL, ALGORITHM=INSTANT');
    }
    if (!(await hasIndex(queryRunner, 'campaign_lanes', 'ix_campaign_lanes_settle'))) {
      await queryRunner.query(
        'ALTER TABLE campaign_lanes ADD KEY ix_campaign_lanes_settle (settle_at), ALGORITHM=INPLACE, LOCK=NONE',
      );
    }
    await queryRunner.query(
      `UPDATE /* unbounded: lanes of stopped campaigns alone, which are gone within seconds */ campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id SET l.settle_at = UTC_TIMESTAMP(3)
       WHERE c.state IN ('cancelled', 'rejected')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE campaign_lanes DROP KEY ix_campaign_lanes_settle, ALGORITHM=INPLACE, LOCK=NONE',
    );
    await queryRunner.query('ALTER TABLE campaign_lanes DROP COLUMN settle_at');
  }
}
