import type { MigrationInterface, QueryRunner } from 'typeorm';

const CAMPAIGNS_A_STEP = 500;
/** A name of audio in an address, see `OpenAudioQuery`. */
const NAME = /\/([A-Za-z0-9_-]{32})\.[a-z0-9]{2,8}(?![A-Za-z0-9])/g;

/**
 * Which campaign plays which audio, so that audio goes after the last campaign that plays it (docs/decisions/0022). What
 * campaigns play stands in their content, as addresses of ours.
 */
export class CampaignAudio1700000014603 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS campaign_audio (
        campaign_id BIGINT NOT NULL,
        audio_id BIGINT NOT NULL,
        PRIMARY KEY (campaign_id, audio_id),
        KEY ix_campaign_audio_audio (audio_id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    for (let after = 0; ;) {
      const campaigns = (await queryRunner.query(
        `SELECT id, content FROM campaigns WHERE id > ? AND channel = 'voice' ORDER BY id LIMIT ${CAMPAIGNS_A_STEP}`,
        [after],
      )) as { id: number; content: string }[];
      for (const { id, content } of campaigns) {
        const tokens = [...content.matchAll(NAME)].map(([, token]) => token);
        after = id;
        if (tokens.length === 0) continue;
        await queryRunner.query(
          'INSERT IGNORE INTO campaign_audio (campaign_id, audio_id) SELECT ?, id FROM audio_files WHERE token IN (?)',
          [id, tokens],
        );
      }
      if (campaigns.length < CAMPAIGNS_A_STEP) break;
    }
    if (!(await queryRunner.hasColumn('audio_files', 'used'))) return;
    if (!(await queryRunner.hasColumn('audio_files', 'unused_since'))) {
      await queryRunner.query('ALTER TABLE audio_files ADD COLUMN unused_since DATETIME(3) NULL AFTER used');
    }
    await queryRunner.query('UPDATE audio_files SET unused_since = created_at WHERE used = 0');
    await queryRunner.query(
      `ALTER TABLE audio_files DROP INDEX ix_audio_files_unused, DROP COLUMN used,
         ADD INDEX ix_audio_files_unused (unused_since)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audio_files ADD COLUMN used TINYINT NOT NULL DEFAULT 1 AFTER chunk_size');
    await queryRunner.query('UPDATE audio_files SET used = 0 WHERE unused_since IS NOT NULL');
    await queryRunner.query(
      `ALTER TABLE audio_files DROP INDEX ix_audio_files_unused, DROP COLUMN unused_since,
         ADD INDEX ix_audio_files_unused (used, created_at)`,
    );
    await queryRunner.query('DROP TABLE campaign_audio');
  }
}
