import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From where accounts and assigned users have logged in. */
export class LoginAddresses1700000013500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE login_addresses (
        holder_id BIGINT NOT NULL,
        digest BINARY(32) NOT NULL,
        seen_at DATETIME(3) NOT NULL,
        PRIMARY KEY (holder_id, digest)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE login_addresses');
  }
}
