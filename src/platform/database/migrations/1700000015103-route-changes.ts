import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idBound, partitionByDay } from '../day-partitions.js';

/** When lanes, and recipients that a carrier refused, went from one route to another, and why: for timelines. */
export class RouteChanges1700000015103 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_changes (
        campaign_id BIGINT NOT NULL,
        lane SMALLINT UNSIGNED NOT NULL,
        seq INT UNSIGNED NOT NULL,
        fence BIGINT UNSIGNED NOT NULL,
        to_lane SMALLINT UNSIGNED NOT NULL,
        from_seq INT UNSIGNED NOT NULL,
        at DATETIME(3) NOT NULL,
        from_route INT UNSIGNED NOT NULL,
        to_route INT UNSIGNED NOT NULL,
        reason VARCHAR(255) NOT NULL,
        PRIMARY KEY (campaign_id, lane, seq, fence),
        KEY ix_route_changes_seq (campaign_id, seq)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await partitionByDay(queryRunner, 'route_changes', 'RANGE (campaign_id)', idBound);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE route_changes');
  }
}
