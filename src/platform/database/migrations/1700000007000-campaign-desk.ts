import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the campaigns API shows beyond the engine's needs: times, refunds, retries; and lists by state for staff. */
export class CampaignDesk1700000007000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      'CREATE INDEX ix_campaigns_state ON campaigns (state, id)',
      `ALTER TABLE campaign_recipients
        ADD COLUMN delivered_at DATETIME(3) NULL,
        ADD COLUMN refunded TINYINT UNSIGNED NOT NULL DEFAULT 0,
        ADD COLUMN source_seq INT UNSIGNED NULL`,
      // Two steps, so that messages which were sent before do not get the time of the migration.
      'ALTER TABLE provider_messages ADD COLUMN submitted_at DATETIME(3) NULL',
      'ALTER TABLE provider_messages MODIFY COLUMN submitted_at DATETIME(3) NULL DEFAULT (utc_timestamp(3))',
      `CREATE TABLE campaign_retries (
        campaign_id BIGINT NOT NULL,
        PRIMARY KEY (campaign_id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    ])
      await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      'DROP TABLE campaign_retries',
      'ALTER TABLE provider_messages DROP COLUMN submitted_at',
      'ALTER TABLE campaign_recipients DROP COLUMN source_seq, DROP COLUMN refunded, DROP COLUMN delivered_at',
      'DROP INDEX ix_campaigns_state ON campaigns',
    ])
      await queryRunner.query(statement);
  }
}
