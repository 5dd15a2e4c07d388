import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dateBound, partitionByDay } from '../day-partitions.js';

/**
 * Who sent to a number last over a route, by day: what is written goes into the few pages of today, and an old day goes at
 * once. Written from now on: the row of no route says since when, and until it is older
 * than anybody looks back, older campaigns are searched for what is missing here (`RouteSenders`).
 */
export class RouteSenders1700000014200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS route_senders (
        route_id INT UNSIGNED NOT NULL,
        number VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        sent_on DATE NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        PRIMARY KEY (route_id, number, sent_on)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await partitionByDay(queryRunner, 'route_senders', 'RANGE COLUMNS (sent_on)', dateBound);
    await queryRunner.query("INSERT IGNORE INTO route_senders VALUES (0, '', UTC_DATE(), 0)");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE route_senders');
  }
}
