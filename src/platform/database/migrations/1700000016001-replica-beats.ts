import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row, by which the lag of a replica is measured (docs/decisions/0037). */
export class ReplicaBeats1700000016001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS replica_beats (
        id TINYINT NOT NULL,
        beat DATETIME(6) NOT NULL,
        PRIMARY KEY (id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE replica_beats');
  }
}
