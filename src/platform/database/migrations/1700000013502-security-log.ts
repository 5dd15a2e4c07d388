import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Logins, good and bad. */
export class SecurityLog1700000013502 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE security_log (
        id BIGINT NOT NULL AUTO_INCREMENT,
        event VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        username VARCHAR(254) NOT NULL,
        ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        times INT UNSIGNED NOT NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_security_log_username (username, id),
        KEY ix_security_log_ip (ip, id),
        KEY ix_security_log_created (created_at)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE security_log');
  }
}
