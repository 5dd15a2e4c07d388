import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The callback secret that a route had before its last rotation, and until when it is taken. */
export class FormerCallbackSecrets1700000013400 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE routes
        ADD COLUMN former_callback_secret VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        ADD COLUMN former_secret_until DATETIME(3) NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE routes DROP COLUMN former_callback_secret, DROP COLUMN former_secret_until');
  }
}
