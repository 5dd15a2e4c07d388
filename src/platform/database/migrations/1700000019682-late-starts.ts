import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happens to a scheduled campaign that starts late, and how late it started. */
export class LateStarts1700000019682 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaigns', 'started_late_s')) return;
    await queryRunner.query(
      `ALTER TABLE campaigns ADD COLUMN late VARCHAR(6) NULL, ADD COLUMN late_after_s INT UNSIGNED NULL,
       ADD COLUMN late_at DATETIME(3) NULL, ADD COLUMN started_late_s INT UNSIGNED NULL, ALGORITHM=INSTANT`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('campaigns', 'started_late_s')) {
      await queryRunner.query(
        'ALTER TABLE campaigns DROP COLUMN late, DROP COLUMN late_after_s, DROP COLUMN late_at, DROP COLUMN started_late_s',
      );
    }
  }
}
