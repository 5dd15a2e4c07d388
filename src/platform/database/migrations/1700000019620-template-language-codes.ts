import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds language codes, in the provider's spelling, to template languages without an id. */
export class TemplateLanguageCodes1700000019620 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('templates', 'language_code')) return;
    await queryRunner.query(
      'ALTER TABLE templates ADD COLUMN language_code VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NULL, ALGORITHM=INSTANT',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE templates DROP COLUMN language_code');
  }
}
