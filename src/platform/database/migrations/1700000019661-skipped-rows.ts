import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the rows of files that were left out. */
export class SkippedRows1700000019661 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS recipient_upload_skips (
         upload_id BIGINT NOT NULL,
         seq INT UNSIGNED NOT NULL,
         fault TEXT NOT NULL,
         PRIMARY KEY (upload_id, seq)
       ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS recipient_upload_skips');
  }
}
