import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

/** A row for each login. */
export class LoginSessions1700000019760 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS login_sessions (
        id BIGINT NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        holder_id BIGINT NOT NULL,
        device VARCHAR(64) NOT NULL,
        address VARCHAR(45) ${ASCII} NOT NULL,
        last_used_at DATETIME(3) NOT NULL,
        expires_at DATETIME(3) NOT NULL,
        ended_at DATETIME(3) NULL,
        reason VARCHAR(16) ${ASCII} NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_login_sessions_holder (holder_id, id),
        KEY ix_login_sessions_account (account_id, id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS login_sessions');
  }
}
