import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = {
  previous_category: 'TINYINT UNSIGNED NULL',
  category_changed_at: 'DATETIME(3) NULL',
  upcoming_category: 'TINYINT UNSIGNED NULL',
};

/** Categories that the provider changes, and parts of its callbacks that the service does not act on. */
export class ChatNotices1700000019700 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, type] of Object.entries(COLUMNS)) {
      if (!(await queryRunner.hasColumn('templates', name)))
        await queryRunner.query(`ALTER TABLE templates ADD COLUMN ${name} ${type}, ALGORITHM=INSTANT`);
    }
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS chat_notices (
        id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
        route_id INT UNSIGNED NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        kind VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        digest BINARY(16) NOT NULL,
        body MEDIUMTEXT NOT NULL,
        bytes INT UNSIGNED NOT NULL,
        received_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_chat_notices_digest (route_id, digest),
        KEY ix_chat_notices_route (route_id, id),
        KEY ix_chat_notices_kind (kind, id),
        KEY ix_chat_notices_received (received_at)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS chat_notice_counts (
        route_id INT UNSIGNED NOT NULL,
        kind VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        count BIGINT UNSIGNED NOT NULL,
        last_at DATETIME(3) NOT NULL,
        PRIMARY KEY (route_id, kind),
        KEY ix_chat_notice_counts_last (last_at)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS chat_notice_counts');
    await queryRunner.query('DROP TABLE IF EXISTS chat_notices');
    for (const name of Object.keys(COLUMNS)) {
      if (await queryRunner.hasColumn('templates', name))
        await queryRunner.query(`ALTER TABLE templates DROP COLUMN ${name}`);
    }
  }
}
