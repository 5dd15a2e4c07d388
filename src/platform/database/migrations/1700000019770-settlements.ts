import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idBound, partitionedByDay } from '../day-partitions.js';
import { hasIndex } from './schema-parts.js';

const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS settlements (
    id BIGINT NOT NULL,
    campaign_id BIGINT NOT NULL,
    account_id INT UNSIGNED NOT NULL,
    statement TEXT NOT NULL,
    digest BINARY(32) NOT NULL,
    signature BINARY(64) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_settlements_campaign (campaign_id),
    KEY ix_settlements_account (account_id, id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS settlement_erased (
    campaign_id BIGINT NOT NULL,
    seq INT UNSIGNED NOT NULL,
    leaf TEXT NOT NULL,
    PRIMARY KEY (campaign_id, seq)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS settlement_chains (
    account_id INT UNSIGNED NOT NULL,
    number INT UNSIGNED NOT NULL,
    digest BINARY(32) NULL,
    restore_id BIGINT NULL,
    PRIMARY KEY (account_id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
  `CREATE TABLE IF NOT EXISTS settlement_keys (
    id VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    public_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    first_used_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
];

const INDEXES: readonly [table: string, index: string, columns: string][] = [
  ['campaigns', 'ix_campaigns_settlement', 'settlement_due, completed_at'],
  ['credit_ledger', 'ix_credit_ledger_request', 'request_id'],
];

/** Signed settlements of campaigns: of those that complete from now on. */
export class Settlements1700000019770 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(table);
    await queryRunner.query(`CREATE TABLE IF NOT EXISTS settlement_pages (
      campaign_id BIGINT NOT NULL,
      page INT UNSIGNED NOT NULL,
      root BINARY(32) NULL,
      salts BLOB NOT NULL,
      PRIMARY KEY (campaign_id, page)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ${partitionedByDay('RANGE (campaign_id)', idBound)}`);
    if (!(await queryRunner.hasColumn('campaigns', 'settlement_due')))
      await queryRunner.query(
        'ALTER TABLE campaigns ADD COLUMN settlement_due TINYINT UNSIGNED NOT NULL DEFAULT 0, ALGORITHM=INSTANT',
      );
    // also of campaigns that the version before accepts meanwhile
    await queryRunner.query('ALTER TABLE campaigns ALTER COLUMN settlement_due SET DEFAULT 1, ALGORITHM=INSTANT');
    await queryRunner.query(
      `UPDATE campaigns /* unbounded: campaigns that are open, and cancelled ones without an end, found by their state */
       SET settlement_due = 1 WHERE completed_at IS NULL AND settlement_due = 0
         AND state IN ('pending_approval', 'accepted', 'running', 'paused', 'cancelled', 'rejected')`,
    );
    for (const [table, index, columns] of INDEXES) {
      if (!(await hasIndex(queryRunner, table, index)))
        await queryRunner.query(`ALTER TABLE ${table} ADD INDEX ${index} (${columns}), ALGORITHM=INPLACE, LOCK=NONE`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, index] of INDEXES) {
      if (await hasIndex(queryRunner, table, index))
        await queryRunner.query(`ALTER TABLE ${table} DROP INDEX ${index}`);
    }
    if (await queryRunner.hasColumn('campaigns', 'settlement_due'))
      await queryRunner.query('ALTER TABLE campaigns DROP COLUMN settlement_due');
    for (const table of [
      'settlements',
      'settlement_pages',
      'settlement_erased',
      'settlement_chains',
      'settlement_keys',
    ])
      await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
