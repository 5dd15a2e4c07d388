import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME_KEY = 'uq_template_submissions_action';

/** Which language of a name the upstream is to remove: its other languages may be somebody else's work. */
export class TemplateRemovals1700000003500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE template_submissions
        ADD COLUMN language VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' AFTER name,
        DROP KEY ${NAME_KEY},
        ADD UNIQUE KEY ${NAME_KEY} (template_id, action, upstream_id, name, language)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE template_submissions
        DROP KEY ${NAME_KEY},
        ADD UNIQUE KEY ${NAME_KEY} (template_id, action, upstream_id, name),
        DROP COLUMN language`,
    );
  }
}
