import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the country of an account's numbers, its strictness, and the numbers under which the provider knows contacts. */
export class NumbersOfAccounts1700000019660 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS chat_number_pairs (
         route_id INT UNSIGNED NOT NULL,
         input VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         provider_number VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         updated_at DATETIME(3) NOT NULL,
         PRIMARY KEY (route_id, input),
         KEY ix_chat_number_pairs_number (route_id, provider_number),
         KEY ix_chat_number_pairs_updated (updated_at)
       ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    if (await queryRunner.hasColumn('accounts', 'strict_numbers')) return;
    await queryRunner.query(
      `ALTER TABLE accounts ADD COLUMN country_code CHAR(2) CHARACTER SET ascii COLLATE ascii_bin NULL,
         ADD COLUMN country_chosen TINYINT NOT NULL DEFAULT 0, ADD COLUMN strict_numbers TINYINT NOT NULL DEFAULT 0,
         ALGORITHM = INSTANT`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS chat_number_pairs');
    if (!(await queryRunner.hasColumn('accounts', 'strict_numbers'))) return;
    await queryRunner.query(
      'ALTER TABLE accounts DROP COLUMN country_code, DROP COLUMN country_chosen, DROP COLUMN strict_numbers',
    );
  }
}
