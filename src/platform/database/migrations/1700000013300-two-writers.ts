import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a transaction writes when it only wants to hold something: on a cluster with several writers a lock reaches the
 * node's own transactions alone, a written row all of them. `receipts` is written by every receipt of a message,
 * whichever of its items it is about; `held` by whoever must be alone with an account.
 */
export class TwoWriters1700000013300 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE provider_messages ADD COLUMN receipts INT UNSIGNED NOT NULL DEFAULT 0');
    await queryRunner.query('ALTER TABLE accounts ADD COLUMN held INT UNSIGNED NOT NULL DEFAULT 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE accounts DROP COLUMN held');
    await queryRunner.query('ALTER TABLE provider_messages DROP COLUMN receipts');
  }
}
