import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is kept of a failed recipient: the carrier's code where it is no number, and whether it refused the submit. */
export class Refusals1700000019670 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaign_recipients', 'refused')) return;
    // Not INSTANT: MySQL exchanges no partition of a table with an INSTANT column. MariaDB is instant anyway.
    await queryRunner.query(
      `ALTER TABLE campaign_recipients ADD COLUMN carrier_code VARCHAR(32) NULL,
       ADD COLUMN refused TINYINT UNSIGNED NOT NULL DEFAULT 0, ALGORITHM=INPLACE, LOCK=NONE`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaign_recipients', 'refused')) {
      await queryRunner.query('ALTER TABLE campaign_recipients DROP COLUMN carrier_code, DROP COLUMN refused');
    }
  }
}
