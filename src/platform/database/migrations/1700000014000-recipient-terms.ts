import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Terms of a recipient's own, where they differ from the campaign's (docs/decisions/0022). In a table beside the recipients,
 * so that the rows of a plain campaign stay as thin as they were.
 */
export class RecipientTerms1700000014000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS recipient_terms (
        campaign_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        lane_group TINYINT UNSIGNED NOT NULL DEFAULT 0,
        credits INT UNSIGNED NULL,
        variables LONGTEXT NULL,
        sender VARCHAR(32) NULL,
        route_id INT UNSIGNED NULL,
        PRIMARY KEY (campaign_id, seq)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    if (!(await queryRunner.hasColumn('campaigns', 'own_terms'))) {
      await queryRunner.query(
        `ALTER TABLE campaigns ADD COLUMN own_terms TINYINT UNSIGNED NOT NULL DEFAULT 0 AFTER unit_credits,
           ADD COLUMN charged_credits BIGINT NOT NULL DEFAULT 0 AFTER own_terms`,
      );
    }
    await queryRunner.query('UPDATE campaigns SET charged_credits = unit_credits * total_rows');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN charged_credits, DROP COLUMN own_terms');
    await queryRunner.query('DROP TABLE recipient_terms');
  }
}
