import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts of staff that an identity provider vouches for, and sessions that it began. */
export class OidcLogins1700000019762 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS oidc_logins (
        digest BINARY(32) NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        withdrawn_at DATETIME(3) NULL,
        ticket CHAR(36) NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (digest),
        KEY ix_oidc_logins_account (account_id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    if (await queryRunner.hasColumn('login_sessions', 'by_provider')) return;
    await queryRunner.query(
      'ALTER TABLE login_sessions ADD COLUMN by_provider TINYINT NOT NULL DEFAULT 0, ALGORITHM=INSTANT',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS oidc_logins');
    if (await queryRunner.hasColumn('login_sessions', 'by_provider'))
      await queryRunner.query('ALTER TABLE login_sessions DROP COLUMN by_provider');
  }
}
