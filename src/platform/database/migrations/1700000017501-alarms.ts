import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
const INDEXES = [
  ['webhook_endpoints', 'ix_webhook_endpoints_failing', 'failing_since'],
  ['accounts', 'ix_accounts_user_type', 'user_type'],
] as const;

/** Alarms, one row each time that something goes wrong, and the indexes that they are found and told by (docs/decisions/0050). */
export class Alarms1700000017501 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS alarms (
        id BIGINT NOT NULL,
        kind VARCHAR(32) ${ASCII} NOT NULL,
        subject_type VARCHAR(16) ${ASCII} NULL,
        subject VARCHAR(128) NOT NULL,
        open_key VARCHAR(192) NULL,
        state VARCHAR(8) ${ASCII} NOT NULL,
        message VARCHAR(255) NOT NULL,
        value DOUBLE NULL,
        threshold DOUBLE NULL,
        first_seen_at DATETIME(3) NOT NULL,
        raised_at DATETIME(3) NULL,
        last_seen_at DATETIME(3) NOT NULL,
        cleared_at DATETIME(3) NULL,
        acknowledged_at DATETIME(3) NULL,
        acknowledged_by VARCHAR(64) NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_alarms_open (open_key),
        KEY ix_alarms_state (state, id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    for (const [table, index, column] of INDEXES) {
      if (await hasIndex(queryRunner, table, index)) continue;
      await queryRunner.query(`ALTER TABLE ${table} ADD KEY ${index} (${column}), ALGORITHM=INPLACE, LOCK=NONE`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, index] of INDEXES) {
      await queryRunner.query(`ALTER TABLE ${table} DROP KEY ${index}, ALGORITHM=INPLACE, LOCK=NONE`);
    }
    await queryRunner.query('DROP TABLE IF EXISTS alarms');
  }
}
