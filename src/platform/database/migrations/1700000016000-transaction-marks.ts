import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which a transaction is known whose COMMIT nobody has answered (docs/decisions/0036). Ids ascend: the old ones go by them. */
export class TransactionMarks1700000016000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS transaction_marks (
        id BIGINT NOT NULL,
        token BIGINT NOT NULL,
        PRIMARY KEY (id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE transaction_marks');
  }
}
