import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that a cell has claimed in the directory, until the account that takes them is there. */
export class NameClaims1700000016400 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS name_claims (
         claim BIGINT NOT NULL,
         kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         value VARCHAR(254) NOT NULL,
         looks INT UNSIGNED NOT NULL,
         created_at DATETIME(3) NOT NULL,
         PRIMARY KEY (claim, kind),
         KEY ix_name_claims_created (created_at),
         KEY ix_name_claims_name (kind, value)
       ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE name_claims');
  }
}
