import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** What every balance stood at when a month was over (docs/decisions/0022). The months of the past are closed by and by. */
export class CreditClosings1700000014602 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS credit_months (
        month DATE NOT NULL,
        after_id BIGINT NOT NULL,
        last_id BIGINT NOT NULL,
        closed_id BIGINT NOT NULL,
        removed TINYINT UNSIGNED NOT NULL DEFAULT 0,
        PRIMARY KEY (month)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS credit_closings (
        account_id INT UNSIGNED NOT NULL,
        balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        month DATE NOT NULL,
        entries INT UNSIGNED NOT NULL,
        moved BIGINT NOT NULL,
        closing BIGINT NOT NULL,
        PRIMARY KEY (account_id, balance, month)
      ) ${TABLE}`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['credit_closings', 'credit_months']) await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
