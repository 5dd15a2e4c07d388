import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

const TABLES: Readonly<Record<string, string>> = {
  login_factors: `
    id BIGINT NOT NULL,
    account_id INT UNSIGNED NOT NULL,
    holder_id BIGINT NOT NULL,
    kind VARCHAR(8) ${ASCII} NOT NULL,
    name VARCHAR(64) NOT NULL,
    secret VARCHAR(255) ${ASCII} NULL,
    last_step BIGINT NULL,
    credential_id VARCHAR(1400) ${ASCII} NULL,
    credential_digest BINARY(32) NULL,
    public_key BLOB NULL,
    counter INT UNSIGNED NOT NULL DEFAULT 0,
    transports VARCHAR(128) ${ASCII} NULL,
    confirmed_at DATETIME(3) NULL,
    last_used_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    KEY ix_login_factors_holder (holder_id, id),
    UNIQUE KEY uq_login_factors_credential (credential_digest)`,
  recovery_codes: `
    holder_id BIGINT NOT NULL,
    digest BINARY(32) NOT NULL,
    used_at DATETIME(3) NULL,
    PRIMARY KEY (holder_id, digest)`,
  login_challenges: `
    id BIGINT NOT NULL,
    digest BINARY(32) NOT NULL,
    holder_id BIGINT NOT NULL,
    purpose VARCHAR(8) ${ASCII} NOT NULL,
    session_id BIGINT NOT NULL,
    expires_at DATETIME(3) NOT NULL,
    used_at DATETIME(3) NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_login_challenges_digest (digest)`,
};

const COLUMNS: readonly (readonly [table: string, column: string, type: string])[] = [
  ['accounts', 'second_factor', 'TINYINT NOT NULL DEFAULT 0'],
  ['assigned_users', 'second_factor', 'TINYINT NOT NULL DEFAULT 0'],
  ['login_sessions', 'confirmed_at', 'DATETIME(3) NULL'],
];

/** Authenticator apps, passkeys and recovery codes. */
export class SecondFactors1700000019761 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(TABLES))
      await queryRunner.query(
        `CREATE TABLE IF NOT EXISTS ${table} (${columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
      );
    for (const [table, column, type] of COLUMNS)
      if (!(await queryRunner.hasColumn(table, column)))
        await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}, ALGORITHM=INSTANT`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column] of COLUMNS)
      if (await queryRunner.hasColumn(table, column))
        await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    for (const table of Object.keys(TABLES)) await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
