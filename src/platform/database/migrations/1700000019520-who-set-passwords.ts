import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from './schema-parts.js';

/** Adds the author (`kernel/maker.ts`; null = its owner) and time of account passwords, and the time of users' passwords. */
export class WhoSetPasswords1700000019520 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      ['accounts', 'password_set_by', 'VARCHAR(128)'],
      ['accounts', 'password_set_at', 'DATETIME(3)'],
      ['assigned_users', 'password_set_at', 'DATETIME(3)'],
    ] as const;
    for (const [table, column, type] of columns) {
      if (await queryRunner.hasColumn(table, column)) continue;
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type} NULL, ALGORITHM=INSTANT`);
    }
    if (!(await hasIndex(queryRunner, 'accounts', 'ix_accounts_password_set_by')))
      await queryRunner.query(
        'ALTER TABLE accounts ADD KEY ix_accounts_password_set_by (password_set_by), ALGORITHM=INPLACE, LOCK=NONE',
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE assigned_users DROP COLUMN password_set_at, ALGORITHM=INPLACE, LOCK=NONE');
    await queryRunner.query('ALTER TABLE accounts DROP KEY ix_accounts_password_set_by, ALGORITHM=INPLACE, LOCK=NONE');
    for (const column of ['password_set_by', 'password_set_at'])
      await queryRunner.query(`ALTER TABLE accounts DROP COLUMN ${column}, ALGORITHM=INPLACE, LOCK=NONE`);
  }
}
