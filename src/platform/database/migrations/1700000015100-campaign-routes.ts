import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idBound, partitionByDay } from '../day-partitions.js';

/** The routes that take over from the first of a group of lanes: a row only where there is more than one. */
export class CampaignRoutes1700000015100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS campaign_routes (
        campaign_id BIGINT NOT NULL,
        lane_group TINYINT UNSIGNED NOT NULL,
        route_ids VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        PRIMARY KEY (campaign_id, lane_group)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await partitionByDay(queryRunner, 'campaign_routes', 'RANGE (campaign_id)', idBound);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE campaign_routes');
  }
}
