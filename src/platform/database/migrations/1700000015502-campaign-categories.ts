import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What kind of message a campaign is, so that a retry of it leaves by the same rules of routes. */
export class CampaignCategories1700000015502 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaigns', 'category')) return;
    await queryRunner.query(
      'ALTER TABLE campaigns ADD COLUMN category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN category');
  }
}
