import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';
import type { WriteResult } from '../write-result.js';

const ROWS_A_DELETE = 10_000;

/**
 * A lane belongs to one route and says whose it is and whether it is a message of one recipient, so that a turn of a route
 * finds what is due without a look at the campaigns (docs/decisions/0023). A row stands only while it has something left
 * to do: those that are done go.
 */
export class LanesOfRoutes1700000014100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (;;) {
      const { affectedRows } = (await queryRunner.query(
        `DELETE FROM campaign_lanes WHERE next_seq >= end_seq AND intent_seq <= next_seq AND NOT EXISTS (
           SELECT 1 FROM recipient_retries r WHERE r.campaign_id = campaign_lanes.campaign_id AND r.lane = campaign_lanes.lane)
         LIMIT ${ROWS_A_DELETE}`,
      )) as WriteResult;
      if (affectedRows < ROWS_A_DELETE) break;
    }
    if (!(await queryRunner.hasColumn('campaign_lanes', 'route_id'))) {
      await queryRunner.query(
        `ALTER TABLE campaign_lanes ADD COLUMN route_id INT UNSIGNED NOT NULL DEFAULT 0 AFTER channel,
           ADD COLUMN account_id INT UNSIGNED NOT NULL DEFAULT 0 AFTER route_id,
           ADD COLUMN single TINYINT UNSIGNED NOT NULL DEFAULT 0 AFTER account_id`,
      );
    }
    await queryRunner.query(
      `UPDATE campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       SET l.route_id = c.route_id, l.account_id = c.account_id, l.single = c.total_rows = 1`,
    );
    if (!(await hasIndex(queryRunner, 'campaign_lanes', 'ix_campaign_lanes_wake'))) return;
    await queryRunner.query(
      `ALTER TABLE campaign_lanes ALTER COLUMN route_id DROP DEFAULT, ALTER COLUMN account_id DROP DEFAULT,
         DROP INDEX ix_campaign_lanes_wake,
         ADD INDEX ix_campaign_lanes_route (channel, route_id, single, wake_at),
         ADD INDEX ix_campaign_lanes_account (channel, route_id, single, account_id, wake_at)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE campaign_lanes DROP INDEX ix_campaign_lanes_account, DROP INDEX ix_campaign_lanes_route,
         ADD INDEX ix_campaign_lanes_wake (channel, wake_at), DROP COLUMN single, DROP COLUMN account_id, DROP COLUMN route_id`,
    );
  }
}
