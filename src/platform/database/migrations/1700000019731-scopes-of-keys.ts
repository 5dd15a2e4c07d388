import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of API keys: keys there already keep every right, without an end. */
export class ScopesOfKeys1700000019731 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('api_keys', 'max_per_day')) return;
    await queryRunner.query(
      `ALTER TABLE api_keys ADD COLUMN scopes VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
         ADD COLUMN expires_at DATETIME(3) NULL, ADD COLUMN max_per_day INT UNSIGNED NULL, ALGORITHM=INSTANT`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_keys DROP COLUMN scopes, DROP COLUMN expires_at, DROP COLUMN max_per_day');
  }
}
