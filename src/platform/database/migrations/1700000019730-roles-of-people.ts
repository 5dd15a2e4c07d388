import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles of the people of an account: those there already stay managers. */
export class RolesOfPeople1700000019730 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasColumn('assigned_users', 'role')) return;
    await queryRunner.query(
      "ALTER TABLE assigned_users ADD COLUMN role VARCHAR(16) NOT NULL DEFAULT 'manager', ALGORITHM=INSTANT",
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE assigned_users DROP COLUMN role');
  }
}
