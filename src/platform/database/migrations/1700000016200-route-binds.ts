import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many sessions all workers together have with a carrier, and which worker holds which of them. */
export class RouteBinds1700000016200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('routes', 'binds'))) {
      await queryRunner.query('ALTER TABLE routes ADD COLUMN binds SMALLINT UNSIGNED NULL, ALGORITHM=INSTANT');
    }
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_binds (
        route_id INT UNSIGNED NOT NULL,
        place SMALLINT UNSIGNED NOT NULL,
        fence BIGINT UNSIGNED NOT NULL DEFAULT 0,
        holder VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        lease_until DATETIME(3) NULL,
        bound TINYINT UNSIGNED NOT NULL DEFAULT 0,
        refusals SMALLINT UNSIGNED NOT NULL DEFAULT 0,
        fault VARCHAR(255) NULL,
        PRIMARY KEY (route_id, place)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE route_binds');
    await queryRunner.query('ALTER TABLE routes DROP COLUMN binds');
  }
}
