import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Campaigns of no more recipients than this have one lane, and eight the largest (`engine/state/lanes.ts`). */
const RECIPIENTS_A_LANE = 2_500;
const LANES = `GREATEST(1, LEAST(8, CEIL(c.total_rows / ${RECIPIENTS_A_LANE})))`;
/** Final statuses: failed, cancelled, answered, no answer, busy, delivered, read. */
const FINAL = '2, 3, 4, 5, 6, 7, 8';

/**
 * Counters by lane, and completion without a row that all of a campaign's lanes write (docs/decisions/0026). What is over
 * keeps its counts as those of lane 0, since only the sums are read; what is under way is counted again, lane by lane.
 */
export class CountersByLane1700000014400 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('campaigns', 'unsettled'))) return;
    if (!(await queryRunner.hasColumn('campaign_counters', 'lane'))) {
      await queryRunner.query(
        `ALTER TABLE campaign_counters ADD COLUMN lane SMALLINT UNSIGNED NOT NULL DEFAULT 0 AFTER campaign_id,
           ADD COLUMN unsettled INT NOT NULL DEFAULT 0, DROP PRIMARY KEY, ADD PRIMARY KEY (campaign_id, lane, status)`,
      );
    }
    await queryRunner.query('ALTER TABLE campaign_counters ALTER COLUMN lane DROP DEFAULT');
    if (!(await queryRunner.hasColumn('campaigns', 'open_lanes'))) {
      await queryRunner.query(
        'ALTER TABLE campaigns ADD COLUMN open_lanes SMALLINT UNSIGNED NOT NULL DEFAULT 0 AFTER unsettled',
      );
    }
    await queryRunner.query(
      `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
       SELECT id, 0, 0, 0, unsettled FROM campaigns WHERE unsettled > 0 AND total_rows <= ${RECIPIENTS_A_LANE}
       ON DUPLICATE KEY UPDATE unsettled = VALUES(unsettled)`,
    );
    const large = (await queryRunner.query(
      `SELECT id FROM campaigns WHERE unsettled > 0 AND total_rows > ${RECIPIENTS_A_LANE} ORDER BY id`,
    )) as { id: number }[];
    for (const { id } of large) await this.countAgain(queryRunner, id);
    await queryRunner.query(
      `UPDATE campaigns SET open_lanes = (SELECT COUNT(*) FROM campaign_counters k
         WHERE k.campaign_id = campaigns.id AND k.unsettled > 0) WHERE unsettled > 0`,
    );
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN unsettled');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE campaigns ADD COLUMN unsettled INT UNSIGNED NOT NULL DEFAULT 0 AFTER total_rows',
    );
    await queryRunner.query('ALTER TABLE campaigns ALTER COLUMN unsettled DROP DEFAULT');
    await queryRunner.query(
      `UPDATE campaigns SET unsettled = (SELECT SUM(k.unsettled) FROM campaign_counters k
         WHERE k.campaign_id = campaigns.id) WHERE open_lanes > 0`,
    );
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN open_lanes');
    await queryRunner.query(
      `INSERT INTO campaign_counters (campaign_id, lane, status, recipients)
       SELECT campaign_id, 0, status, recipients FROM (SELECT campaign_id, status, SUM(recipients) AS recipients
         FROM campaign_counters WHERE lane > 0 GROUP BY campaign_id, status) others
       ON DUPLICATE KEY UPDATE recipients = campaign_counters.recipients + VALUES(recipients)`,
    );
    await queryRunner.query('DELETE FROM campaign_counters WHERE lane > 0');
    await queryRunner.query(
      `ALTER TABLE campaign_counters DROP PRIMARY KEY, ADD PRIMARY KEY (campaign_id, status), DROP COLUMN lane,
         DROP COLUMN unsettled`,
    );
  }

  private async countAgain(queryRunner: QueryRunner, id: number): Promise<void> {
    await queryRunner.query('DELETE FROM campaign_counters WHERE campaign_id = ?', [id]);
    await queryRunner.query(
      `INSERT INTO campaign_counters (campaign_id, lane, status, recipients)
       SELECT r.campaign_id, (r.seq - 1) DIV CEIL(c.total_rows / ${LANES}), r.status, COUNT(*)
       FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id WHERE c.id = ? GROUP BY 1, 2, 3`,
      [id],
    );
    await queryRunner.query(
      `INSERT INTO campaign_counters (campaign_id, lane, status, recipients, unsettled)
       SELECT campaign_id, lane, 0, 0, open FROM (SELECT campaign_id, lane, SUM(IF(status IN (${FINAL}), 0, recipients)) AS open
         FROM campaign_counters WHERE campaign_id = ? GROUP BY campaign_id, lane) lanes
       ON DUPLICATE KEY UPDATE unsettled = VALUES(unsettled)`,
      [id],
    );
  }
}
