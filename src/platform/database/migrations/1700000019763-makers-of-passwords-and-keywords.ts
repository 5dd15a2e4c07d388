import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = [
  ['assigned_users', 'password_set_by'],
  ['account_keywords', 'created_by'],
] as const;

/** Who gave a person its password, and who put a keyword: both end with the rights of their makers. */
export class MakersOfPasswordsAndKeywords1700000019763 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column] of COLUMNS) {
      if (await queryRunner.hasColumn(table, column)) continue;
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${column} VARCHAR(128) NULL, ALGORITHM=INSTANT`);
    }
    // never changed since
    await queryRunner.query(
      `UPDATE assigned_users /* unbounded: people that accounts made, some for each */ SET password_set_by = created_by
       WHERE password_set_by IS NULL AND is_invited = 0 AND password_changed_at <= created_at`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column] of COLUMNS) {
      if (await queryRunner.hasColumn(table, column))
        await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
  }
}
