import type { MigrationInterface, QueryRunner } from 'typeorm';

const STEP = 1_000;

/** Sets the end of validity on lanes of versions that did not; after it no route is called. */
export class ValidityOfLanes1700000019310 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (let [campaign, lane] = [0, -1]; ;) {
      const keys = (await queryRunner.query(
        `SELECT campaign_id, lane FROM campaign_lanes FORCE INDEX (PRIMARY)
         WHERE campaign_id = ? AND lane > ? OR campaign_id > ? ORDER BY campaign_id, lane LIMIT ${STEP}`,
        [campaign, lane, campaign],
      )) as { campaign_id: number; lane: number }[];
      const last = keys.at(-1);
      if (!last) return;
      await queryRunner.query(
        `UPDATE /* unbounded: lanes of ${STEP} keys of the primary key */ campaign_lanes l FORCE INDEX (PRIMARY)
         STRAIGHT_JOIN campaigns c ON c.id = l.campaign_id
         SET l.settle_at = COALESCE(c.scheduled_at, c.created_at)
           + INTERVAL JSON_UNQUOTE(JSON_EXTRACT(c.content, '$.validity_s')) SECOND
         WHERE l.settle_at IS NULL AND JSON_EXTRACT(c.content, '$.validity_s') IS NOT NULL
           AND (l.campaign_id = ? AND l.lane > ? OR l.campaign_id > ?) AND (l.campaign_id < ? OR l.campaign_id = ? AND l.lane <= ?)`,
        [campaign, lane, campaign, last.campaign_id, last.campaign_id, last.lane],
      );
      [campaign, lane] = [Number(last.campaign_id), last.lane];
    }
  }

  /** The previous version can use these values. */
  async down(): Promise<void> {}
}
