import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rules that choose routes by the number (docs/decisions/0033). */
export class RoutingTables1700000015200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS routing_tables (
        name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        rules LONGTEXT NOT NULL,
        rule_count INT UNSIGNED NOT NULL,
        prefixes INT UNSIGNED NOT NULL,
        version BIGINT NOT NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (name)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS routing_tables');
  }
}
