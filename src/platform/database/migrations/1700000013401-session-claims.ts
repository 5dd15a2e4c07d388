import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who has taken a scheduled session message, when it was meant to leave and when it did; recipients that are addressed
 * by a user id; and the list of an account's messages by status.
 */
export class SessionClaims1700000013401 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE session_messages
        MODIFY COLUMN receiver VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        ADD COLUMN claim CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
        ADD COLUMN scheduled_at DATETIME(3) NULL,
        ADD COLUMN sent_at DATETIME(3) NULL,
        ADD KEY ix_session_messages_account_status (account_id, status, id)`,
    );
    await queryRunner.query(
      'UPDATE session_messages SET scheduled_at = COALESCE(due_at, created_at) WHERE scheduled = 1',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE session_messages DROP KEY ix_session_messages_account_status, DROP COLUMN claim,
        DROP COLUMN scheduled_at, DROP COLUMN sent_at,
        MODIFY COLUMN receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL`,
    );
  }
}
