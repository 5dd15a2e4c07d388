import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

/** Audio of voice campaigns, spoken or supplied. */
export class Audio1700000004000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE audio_files (
        id BIGINT NOT NULL,
        token VARCHAR(32) ${ASCII} NOT NULL,
        content_key VARCHAR(64) ${ASCII} NOT NULL,
        extension VARCHAR(8) ${ASCII} NOT NULL,
        mime VARCHAR(32) ${ASCII} NOT NULL,
        milliseconds INT UNSIGNED NOT NULL,
        size INT UNSIGNED NOT NULL,
        chunk_size INT UNSIGNED NOT NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_audio_files_token (token),
        UNIQUE KEY uq_audio_files_content (content_key)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE audio_chunks (
        audio_id BIGINT NOT NULL,
        seq SMALLINT UNSIGNED NOT NULL,
        bytes MEDIUMBLOB NOT NULL,
        PRIMARY KEY (audio_id, seq)
      ) ${TABLE}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE audio_chunks');
    await queryRunner.query('DROP TABLE audio_files');
  }
}
