import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sender ids that accounts register, the one that a campaign leaves under, and whether an account must name one. */
export class SenderIds1700000015000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS sender_ids (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        account_id INT UNSIGNED NOT NULL,
        channel VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        sender_id VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        dlt_entity_id VARCHAR(30) CHARACTER SET ascii COLLATE ascii_bin NULL,
        use_case VARCHAR(500) NULL,
        status VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        reason VARCHAR(255) NULL,
        revision INT UNSIGNED NOT NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_sender_ids_sender (account_id, channel, sender_id),
        KEY ix_sender_ids_account (account_id, id),
        KEY ix_sender_ids_status (status, id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    if (!(await queryRunner.hasColumn('campaigns', 'sender'))) {
      await queryRunner.query('ALTER TABLE campaigns ADD COLUMN sender VARCHAR(32) NULL');
    }
    if (!(await queryRunner.hasColumn('accounts', 'require_sender'))) {
      await queryRunner.query('ALTER TABLE accounts ADD COLUMN require_sender TINYINT(1) NOT NULL DEFAULT 0');
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE accounts DROP COLUMN require_sender');
    await queryRunner.query('ALTER TABLE campaigns DROP COLUMN sender');
    await queryRunner.query('DROP TABLE sender_ids');
  }
}
