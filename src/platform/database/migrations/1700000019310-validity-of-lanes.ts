import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lanes whose moments one step notes. */
const STEP = 1_000;

/** Notes when the validity of lanes is over that were accepted by versions that did not: from then on no route is asked. */
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

  /** The moments stay right for the version before. */
  async down(): Promise<void> {}
}
