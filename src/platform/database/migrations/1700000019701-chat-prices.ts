import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idBound, partitionedByDay } from '../day-partitions.js';

/** What the chat provider bills for messages, as its statuses say. */
export class ChatPrices1700000019701 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE IF NOT EXISTS chat_prices (
        campaign_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        billable TINYINT UNSIGNED NULL,
        model VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
        type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
        differs_at DATETIME(3) NULL,
        priced_at DATETIME(3) NOT NULL,
        PRIMARY KEY (campaign_id, seq),
        KEY ix_chat_prices_differs (differs_at, account_id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ${partitionedByDay('RANGE (campaign_id)', idBound)}`,
    );
    if (!(await queryRunner.hasColumn('session_messages', 'pricing')))
      await queryRunner.query('ALTER TABLE session_messages ADD COLUMN pricing VARCHAR(255) NULL, ALGORITHM=INSTANT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE IF EXISTS chat_prices');
    if (await queryRunner.hasColumn('session_messages', 'pricing'))
      await queryRunner.query('ALTER TABLE session_messages DROP COLUMN pricing');
  }
}
