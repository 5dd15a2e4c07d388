import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** What carriers ask for a segment, and what was sent over them at which price (docs/decisions/0033). */
export class RouteCosts1700000015202 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_price_lists (
        route_id INT UNSIGNED NOT NULL,
        currency CHAR(3) ${ASCII} NOT NULL,
        version BIGINT NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (route_id)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_costs (
        route_id INT UNSIGNED NOT NULL,
        prefix VARCHAR(15) ${ASCII} NOT NULL,
        cost_micros BIGINT NOT NULL,
        PRIMARY KEY (route_id, prefix)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_spend (
        day DATE NOT NULL,
        route_id INT UNSIGNED NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        channel VARCHAR(16) ${ASCII} NOT NULL,
        prefix VARCHAR(8) ${ASCII} NOT NULL,
        currency CHAR(3) ${ASCII} NOT NULL,
        shard TINYINT UNSIGNED NOT NULL,
        messages BIGINT NOT NULL,
        segments BIGINT NOT NULL,
        cost_micros BIGINT NOT NULL,
        PRIMARY KEY (day, route_id, account_id, channel, prefix, currency, shard)
      ) ${TABLE}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['route_spend', 'route_costs', 'route_price_lists']) {
      await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
    }
  }
}
