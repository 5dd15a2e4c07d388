import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Registered accounts that have not yet proved their telephone number or e-mail address. */
export class ProofDue1700000019751 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await queryRunner.hasColumn('accounts', 'proof_due')))
      await queryRunner.query(
        'ALTER TABLE accounts ADD COLUMN proof_due TINYINT NOT NULL DEFAULT 0, ALGORITHM=INSTANT',
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('accounts', 'proof_due'))
      await queryRunner.query('ALTER TABLE accounts DROP COLUMN proof_due');
  }
}
