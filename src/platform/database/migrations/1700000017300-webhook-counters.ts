import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many tries an endpoint got in each ten minutes, and the index by which staff list endpoints of all accounts. */
export class WebhookCounters1700000017300 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS webhook_counters (
         endpoint_id INT UNSIGNED NOT NULL,
         period DATETIME NOT NULL,
         tries INT UNSIGNED NOT NULL,
         failed INT UNSIGNED NOT NULL,
         last_success_at DATETIME(3) NULL,
         PRIMARY KEY (endpoint_id, period),
         KEY ix_webhook_counters_period (period)
       ) ENGINE = InnoDB`,
    );
    const indexes = (await queryRunner.query(
      `SHOW INDEX FROM webhook_endpoints WHERE Key_name = 'ix_webhook_endpoints_listed'`,
    )) as unknown[];
    if (indexes.length > 0) return;
    await queryRunner.query(
      `ALTER TABLE webhook_endpoints ADD KEY ix_webhook_endpoints_listed (status, id), ALGORITHM=INPLACE, LOCK=NONE`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE webhook_endpoints DROP KEY ix_webhook_endpoints_listed, ALGORITHM=INPLACE, LOCK=NONE',
    );
    await queryRunner.query('DROP TABLE IF EXISTS webhook_counters');
  }
}
