import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Buttons of templates that lead to an address, a number or a code. */
export class TemplateButtons1700000019702 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('templates', 'buttons')) return;
    await queryRunner.query('ALTER TABLE templates ADD COLUMN buttons LONGTEXT NULL, ALGORITHM=INSTANT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE templates DROP COLUMN buttons');
  }
}
