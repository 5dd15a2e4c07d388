import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';
const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

/** What accounts pay instead of the prices that hold for all. No account has a plan yet. */
export class RatePlans1700000015300 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS rate_plans (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        name VARCHAR(64) ${ASCII} NOT NULL,
        revision INT UNSIGNED NOT NULL,
        given INT UNSIGNED NOT NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_rate_plans_name (name)
      ) ${TABLE}`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS rate_plan_rows (
        plan_id INT UNSIGNED NOT NULL,
        channel VARCHAR(16) ${ASCII} NOT NULL,
        prefix VARCHAR(15) ${ASCII} NOT NULL,
        credits_per_segment INT UNSIGNED NOT NULL,
        PRIMARY KEY (plan_id, channel, prefix)
      ) ${TABLE}`,
    );
    if (await queryRunner.hasColumn('accounts', 'rate_plan')) return;
    await queryRunner.query(
      `ALTER TABLE accounts ADD COLUMN rate_plan VARCHAR(64) ${ASCII} NULL AFTER public_lookup,
         ADD KEY ix_accounts_rate_plan (rate_plan)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('accounts', 'rate_plan')) {
      await queryRunner.query('ALTER TABLE accounts DROP KEY ix_accounts_rate_plan, DROP COLUMN rate_plan');
    }
    for (const table of ['rate_plan_rows', 'rate_plans']) await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
