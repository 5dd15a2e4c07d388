import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** Calls of voice campaigns, and how the attempt before a retry ended. */
export class Voice1700000005000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE recipient_retries ADD COLUMN last_status TINYINT UNSIGNED NULL');
    await queryRunner.query(
      `CREATE TABLE voice_calls (
        campaign_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        call_id VARCHAR(128) NOT NULL,
        attempt SMALLINT UNSIGNED NOT NULL,
        status TINYINT UNSIGNED NOT NULL,
        error_code INT NULL,
        error_message VARCHAR(255) NULL,
        seconds INT UNSIGNED NOT NULL,
        position LONGTEXT NULL,
        answers LONGTEXT NULL,
        digits VARCHAR(255) NOT NULL,
        recording_urls LONGTEXT NULL,
        started_at DATETIME(3) NOT NULL,
        answered_at DATETIME(3) NULL,
        ended_at DATETIME(3) NULL,
        PRIMARY KEY (campaign_id, seq, call_id)
      ) ${TABLE}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE voice_calls');
    await queryRunner.query('ALTER TABLE recipient_retries DROP COLUMN last_status');
  }
}
