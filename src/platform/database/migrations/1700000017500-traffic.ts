import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dateBound, partitionByDay } from '../day-partitions.js';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
const TABLES = ['traffic_minutes', 'traffic_hours'];

/** What was sent and what became of it, by minute and hour, of each route, account and channel (docs/decisions/0050). */
export class Traffic1700000017500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(
        `CREATE TABLE IF NOT EXISTS ${table} (
          kind CHAR(1) ${ASCII} NOT NULL,
          subject_id INT UNSIGNED NOT NULL,
          at DATETIME NOT NULL,
          channel VARCHAR(16) ${ASCII} NOT NULL,
          slot TINYINT UNSIGNED NOT NULL,
          sent BIGINT NOT NULL,
          delivered BIGINT NOT NULL,
          failed BIGINT NOT NULL,
          refused BIGINT NOT NULL,
          expired BIGINT NOT NULL,
          unanswered BIGINT NOT NULL,
          unknown BIGINT NOT NULL,
          receipts BIGINT NOT NULL,
          timed BIGINT NOT NULL,
          delay_ms BIGINT NOT NULL,
          within_5s BIGINT NOT NULL,
          within_30s BIGINT NOT NULL,
          within_2m BIGINT NOT NULL,
          within_10m BIGINT NOT NULL,
          charged BIGINT NOT NULL,
          refunded BIGINT NOT NULL,
          receipt_at DATETIME(3) NULL,
          PRIMARY KEY (kind, subject_id, at, channel, slot),
          KEY ix_${table}_at (kind, at)
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
      );
      await partitionByDay(queryRunner, table, 'RANGE COLUMNS (at)', dateBound);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
