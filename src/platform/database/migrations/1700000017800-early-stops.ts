import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stop words that came before their message was noted: they wait for it (reference/suppressions#stop-words). */
export class EarlyStops1700000017800 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS early_stops (
        route_id INT UNSIGNED NOT NULL,
        number VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        said_at DATETIME(3) NOT NULL,
        look_at DATETIME(3) NOT NULL,
        PRIMARY KEY (route_id, number),
        KEY ix_early_stops_look (look_at)
      ) ENGINE = InnoDB`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS early_stops');
  }
}
