import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** Templates, their controller queue, and what the upstream has yet to be told of them. */
export class Templates1700000002000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      `CREATE TABLE templates (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        account_id INT UNSIGNED NOT NULL,
        name VARBINARY(2048) NOT NULL,
        category TINYINT UNSIGNED NOT NULL,
        language_id TINYINT UNSIGNED NOT NULL,
        status TINYINT UNSIGNED NOT NULL,
        reason VARCHAR(500) NULL,
        header_area_type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        header_media_type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        header_text VARCHAR(60) NOT NULL,
        header_example_url TEXT NULL,
        body TEXT NOT NULL,
        body_examples LONGTEXT NOT NULL,
        footer TEXT NOT NULL,
        quick_replies LONGTEXT NOT NULL,
        upstream_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_templates_name (account_id, name),
        KEY ix_templates_status (status, id),
        KEY ix_templates_upstream (upstream_id)
      ) ${TABLE}`,
      `CREATE TABLE template_controllers (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        template_id INT UNSIGNED NOT NULL,
        type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        controller_status VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_template_controllers_template (template_id)
      ) ${TABLE}`,
      `CREATE TABLE template_submissions (
        id BIGINT NOT NULL AUTO_INCREMENT,
        template_id INT UNSIGNED NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        action VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        upstream_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        name VARBINARY(2048) NOT NULL,
        revision VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        left_revision VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
        attempts INT UNSIGNED NOT NULL,
        due_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_template_submissions_action (template_id, action, upstream_id, name),
        KEY ix_template_submissions_due (due_at)
      ) ${TABLE}`,
    ])
      await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['template_submissions', 'template_controllers', 'templates'])
      await queryRunner.query(`DROP TABLE ${table}`);
  }
}
