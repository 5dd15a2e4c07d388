import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The retries of a campaign, found without a look at everything that its account has sent since. */
export class CampaignRetries1700000012000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX ix_campaigns_retry_of ON campaigns (retry_of)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX ix_campaigns_retry_of ON campaigns');
  }
}
