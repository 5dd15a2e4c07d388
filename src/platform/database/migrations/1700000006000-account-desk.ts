import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** API keys, assigned users, and what resellers granted to whom. */
export class AccountDesk1700000006000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      `CREATE TABLE api_keys (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        account_id INT UNSIGNED NOT NULL,
        name VARCHAR(100) NULL,
        prefix VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        key_digest VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        allowed_ips LONGTEXT NOT NULL,
        last_used_at DATETIME(3) NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_api_keys_digest (key_digest),
        KEY ix_api_keys_account (account_id, id)
      ) ${TABLE}`,
      `CREATE TABLE assigned_users (
        id BIGINT NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        username VARCHAR(64) NOT NULL,
        password_hash VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        password_changed_at DATETIME(3) NOT NULL,
        email VARCHAR(254) NULL,
        firstname VARCHAR(100) NOT NULL,
        lastname VARCHAR(100) NOT NULL,
        is_active TINYINT(1) NOT NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_assigned_users_account (account_id, id)
      ) ${TABLE}`,
      `CREATE TABLE reseller_grants (
        reseller_id INT UNSIGNED NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        amount BIGINT NOT NULL,
        PRIMARY KEY (reseller_id, account_id, balance),
        CONSTRAINT ck_reseller_grants_amount CHECK (amount >= 0)
      ) ${TABLE}`,
      `ALTER TABLE login_identities
        ADD COLUMN assigned_user_id BIGINT NULL,
        ADD KEY ix_login_identities_assigned_user (assigned_user_id)`,
      `ALTER TABLE audit_log ADD COLUMN assigned_user VARCHAR(64) NULL`,
    ])
      await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audit_log DROP COLUMN assigned_user');
    // without its column an assigned user's name would look like the account's own
    await queryRunner.query('DELETE FROM login_identities WHERE assigned_user_id IS NOT NULL');
    await queryRunner.query(
      'ALTER TABLE login_identities DROP KEY ix_login_identities_assigned_user, DROP COLUMN assigned_user_id',
    );
    for (const table of ['reseller_grants', 'assigned_users', 'api_keys'])
      await queryRunner.query(`DROP TABLE ${table}`);
  }
}
