import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who adds to what an account may have only so many of writes one row; stop lists are too long to be counted each time. */
export class AccountQuotas1700000013601 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE account_quotas (
        account_id INT UNSIGNED NOT NULL,
        kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        used INT UNSIGNED NOT NULL,
        additions BIGINT UNSIGNED NOT NULL,
        PRIMARY KEY (account_id, kind)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
    await queryRunner.query(
      `INSERT INTO account_quotas (account_id, kind, used, additions)
       SELECT account_id, 'suppressions', COUNT(*), 0 FROM suppressions WHERE source <> 'stop' GROUP BY account_id`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE account_quotas');
  }
}
