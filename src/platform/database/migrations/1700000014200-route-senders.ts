import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who sent to a number last over a route. Written from now on: the row of no route says since when, and until it is older
 * than anybody looks back, older campaigns are searched for what is missing here (`RouteSenders`).
 */
export class RouteSenders1700000014200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_senders (
        route_id INT UNSIGNED NOT NULL,
        number VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        sent_on DATE NOT NULL,
        PRIMARY KEY (route_id, number)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await queryRunner.query("INSERT IGNORE INTO route_senders VALUES (0, '', 0, UTC_DATE())");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE route_senders');
  }
}
