import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Profile requests (reference/profile-requests#profile-request). */
export class ProfileRequests1700000008000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE profile_requests (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        account_id INT UNSIGNED NOT NULL,
        verified_name VARCHAR(255) NOT NULL,
        number VARCHAR(32) NULL,
        number_for_otp VARCHAR(32) NOT NULL,
        channel VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        status VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        pending_digest BINARY(32) NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_profile_requests_pending (pending_digest),
        KEY ix_profile_requests_account (account_id, id),
        KEY ix_profile_requests_status (status, id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE profile_requests');
  }
}
