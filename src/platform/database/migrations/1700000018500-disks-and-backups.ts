import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What alarms go by that the database does not know by itself: disks of hosts, and when a copy was made last. */
export class DisksAndBackups1700000018500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS disk_shortages (
        host VARCHAR(64) NOT NULL,
        directory VARCHAR(255) NOT NULL,
        free_bytes BIGINT NOT NULL,
        size_bytes BIGINT NOT NULL,
        seen_at DATETIME(3) NOT NULL,
        PRIMARY KEY (host, directory),
        KEY ix_disk_shortages_seen (seen_at)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS last_backup (
        id TINYINT NOT NULL,
        ended_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS last_backup');
    await queryRunner.query('DROP TABLE IF EXISTS disk_shortages');
  }
}
