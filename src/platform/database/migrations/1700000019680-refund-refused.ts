import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What carriers refuse in their answers is refunded, unless staff turn it off for an account. */
export class RefundRefused1700000019680 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('accounts', 'refund_refused')) return;
    await queryRunner.query(
      'ALTER TABLE accounts ADD COLUMN refund_refused TINYINT(1) NOT NULL DEFAULT 1, ALGORITHM=INSTANT',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('accounts', 'refund_refused')) {
      await queryRunner.query('ALTER TABLE accounts DROP COLUMN refund_refused');
    }
  }
}
