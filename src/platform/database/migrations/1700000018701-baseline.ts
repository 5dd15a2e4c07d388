import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ACCOUNTS, CREDITS } from './baseline/accounts-and-credits.js';
import { CAMPAIGNS, RECEIPTS } from './baseline/campaigns-and-receipts.js';
import { CONTENTS, CONVERSATIONS } from './baseline/contents-and-conversations.js';
import { FORMER_MIGRATIONS } from './baseline/former-migrations.js';
import { OPERATIONS, ROUTES, WEBHOOKS } from './baseline/routes-webhooks-operations.js';
import { createTable } from './schema-parts.js';

const TABLES = [
  ...[...ACCOUNTS, ...CREDITS, ...ROUTES, ...CAMPAIGNS, ...RECEIPTS],
  ...[...CONVERSATIONS, ...CONTENTS, ...WEBHOOKS, ...OPERATIONS],
];

/** Schema of 0.3.0 without its 77 migrations (docs/decisions/0037), which count as done: 0.3.0 can run on it again. */
export class Baseline1700000018701 implements MigrationInterface {
  /** @throws Error when the database is older than 0.3.0; nothing is changed then */
  async up(queryRunner: QueryRunner): Promise<void> {
    const rows = (await queryRunner.query('SELECT name FROM migrations')) as { name: string }[];
    const noted = new Set(rows.map(({ name }) => name));
    const missing = FORMER_MIGRATIONS.filter((name) => !noted.has(name));
    if (missing.length === 0) return;
    if (missing.length < FORMER_MIGRATIONS.length) {
      throw new Error(`This database is older than version 0.3.0 (without ${missing[0]}): upgrade it to 0.3.0 first`);
    }
    for (const table of TABLES) await queryRunner.query(createTable(table));
    // Route 0 does not exist: its row marks all routes as scanned.
    await queryRunner.query("INSERT IGNORE INTO route_senders VALUES (0, '', UTC_DATE(), 0)");
    const values = FORMER_MIGRATIONS.map((name) => [Number(name.slice(-13)), name]);
    await queryRunner.query('INSERT INTO migrations (timestamp, name) VALUES ?', [values]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of TABLES) await queryRunner.query(`DROP TABLE IF EXISTS ${name}`);
    await queryRunner.query(`DELETE FROM migrations WHERE name IN (?) LIMIT ${FORMER_MIGRATIONS.length}`, [
      FORMER_MIGRATIONS,
    ]);
  }
}
