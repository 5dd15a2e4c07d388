import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Audio is kept with the campaign that plays it. Until now it was kept before the campaign was accepted: what no campaign
 * plays is marked here, and swept later; under another key, so that no instance, of whatever version, takes it up again.
 * What is younger than a day may belong to a request that is under way.
 */
export class AudioOfCampaigns1700000013700 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // 1 also for what an instance of the version before writes while both run
    await queryRunner.query('ALTER TABLE audio_files ADD COLUMN used TINYINT NOT NULL DEFAULT 1');
    await queryRunner.query('ALTER TABLE audio_files ADD KEY ix_audio_files_unused (used, created_at)');
    await queryRunner.query(
      `UPDATE audio_files SET used = 0, content_key = CONCAT('unplayed', SUBSTRING(content_key, 9))
       WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY AND NOT EXISTS (
         SELECT 1 FROM (SELECT DISTINCT CONVERT(SUBSTRING_INDEX(SUBSTRING_INDEX(
             JSON_UNQUOTE(JSON_EXTRACT(content, '$.audio_url')), '/', -1), '.', 1) USING ascii) COLLATE ascii_bin AS token
           FROM campaigns WHERE channel = 'voice') played
         WHERE played.token = audio_files.token)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audio_files DROP KEY ix_audio_files_unused, DROP COLUMN used');
  }
}
