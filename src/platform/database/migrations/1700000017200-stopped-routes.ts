import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Routes that staff have stopped, and since when each stands as it does. */
export class StoppedRoutes1700000017200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('routes', 'stopped_at'))) {
      await queryRunner.query(
        `ALTER TABLE routes ADD COLUMN stopped_at DATETIME(3) NULL, ADD COLUMN stopped_by VARCHAR(64) NULL,
           ADD COLUMN stop_reason VARCHAR(255) NULL, ALGORITHM=INSTANT`,
      );
    }
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_states (
        route_id INT UNSIGNED NOT NULL,
        state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        since DATETIME(3) NOT NULL,
        error VARCHAR(255) NULL,
        error_since DATETIME(3) NULL,
        error_at DATETIME(3) NULL,
        PRIMARY KEY (route_id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE route_states');
    await queryRunner.query(
      'ALTER TABLE routes DROP COLUMN stopped_at, DROP COLUMN stopped_by, DROP COLUMN stop_reason',
    );
  }
}
