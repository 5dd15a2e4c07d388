import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an account's own log is read by: whose login it was, and which key made a change. */
export class OwnLogs1700000017301 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('security_log', 'account_id'))) {
      await queryRunner.query(
        `ALTER TABLE security_log ADD COLUMN account_id INT UNSIGNED NULL,
           ADD KEY ix_security_log_account (account_id, id), ALGORITHM=INPLACE, LOCK=NONE`,
      );
    }
    if (!(await queryRunner.hasColumn('audit_log', 'api_key'))) {
      await queryRunner.query(
        `ALTER TABLE audit_log ADD COLUMN api_key VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
           ADD KEY ix_audit_log_account (actor_id, id), ALGORITHM=INPLACE, LOCK=NONE`,
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE audit_log DROP KEY ix_audit_log_account, DROP COLUMN api_key, ALGORITHM=INPLACE, LOCK=NONE',
    );
    await queryRunner.query(
      'ALTER TABLE security_log DROP KEY ix_security_log_account, DROP COLUMN account_id, ALGORITHM=INPLACE, LOCK=NONE',
    );
  }
}
