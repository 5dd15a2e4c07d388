import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stop lists (reference/suppressions#effect): whom an account may not write to. */
export class Suppressions1700000010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE suppressions (
        account_id INT UNSIGNED NOT NULL,
        number VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        source VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        route_id INT UNSIGNED NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (account_id, number),
        KEY ix_suppressions_route (route_id, number)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE suppressions');
  }
}
