import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When each endpoint is to be looked at, so that dispatchers read those with something due only (docs/decisions/0028). */
export class DueEndpoints1700000014700 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('webhook_endpoints', 'next_due_at'))) {
      await queryRunner.query(
        `ALTER TABLE webhook_endpoints ADD COLUMN next_due_at DATETIME(3) NULL AFTER lease_until,
           ADD KEY ix_webhook_endpoints_due (status, next_due_at), DROP KEY ix_webhook_endpoints_status`,
      );
    }
    // The first look finds out which of them have something due, and gives the others their own moments.
    await queryRunner.query("UPDATE webhook_endpoints SET next_due_at = UTC_TIMESTAMP(3) WHERE status = 'active'");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE webhook_endpoints ADD KEY ix_webhook_endpoints_status (status, lease_until),
         DROP KEY ix_webhook_endpoints_due, DROP COLUMN next_due_at`,
    );
  }
}
