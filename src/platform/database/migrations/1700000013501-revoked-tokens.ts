import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens whose bearers have logged out. */
export class RevokedTokens1700000013501 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE revoked_tokens (
        digest BINARY(32) NOT NULL,
        expires_at DATETIME(3) NOT NULL,
        PRIMARY KEY (digest),
        KEY ix_revoked_tokens_expires (expires_at)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE revoked_tokens');
  }
}
