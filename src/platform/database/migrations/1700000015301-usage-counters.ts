import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

/** What was charged and refunded, by day, balance, channel, calling code and sender (docs/decisions/0035). */
export class UsageCounters1700000015301 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS usage_counters (
        account_id INT UNSIGNED NOT NULL,
        day DATE NOT NULL,
        balance VARCHAR(32) ${ASCII} NOT NULL,
        channel VARCHAR(16) ${ASCII} NOT NULL,
        prefix VARCHAR(8) ${ASCII} NOT NULL,
        sender VARCHAR(32) NOT NULL,
        charged_recipients BIGINT NOT NULL,
        charged_credits BIGINT NOT NULL,
        refunded_recipients BIGINT NOT NULL,
        refunded_credits BIGINT NOT NULL,
        PRIMARY KEY (account_id, day, balance, channel, prefix, sender),
        KEY ix_usage_counters_day (day)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS usage_counters');
  }
}
