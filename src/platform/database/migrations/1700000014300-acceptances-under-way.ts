import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Large acceptances whose recipients are written before their campaign is (docs/decisions/0025). */
export class AcceptancesUnderWay1700000014300 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS acceptances_under_way (
        campaign_id BIGINT NOT NULL,
        fence INT UNSIGNED NOT NULL,
        lease_until DATETIME(3) NOT NULL,
        started_at DATETIME(3) NOT NULL,
        PRIMARY KEY (campaign_id),
        KEY ix_acceptances_under_way_lease (lease_until)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS acceptances_under_way');
  }
}
