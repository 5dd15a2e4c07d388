import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from './schema-parts.js';

const TABLE = 'provider_messages';
const FORMER = {
  ix_provider_messages_id: '(route_id, provider_message_id)',
  ix_provider_messages_match: '(route_id, match_key)',
};
/** `messageKey` in SQL: the version before writes the normal form of an id to `match_key`, if it differs. */
const KEY = `CONV(LEFT(SHA2(CONCAT(route_id, ' ', COALESCE(match_key, RTRIM(provider_message_id))), 256), 13), 16, 10)`;
/** In which receipts are looked up by default: `RECEIPT_TIMEOUT` and 7 days. */
const DAYS = 10;
const ROWS_A_STEP = 5_000;

interface Place {
  campaign_id: number;
  seq: number;
}

/**
 * One index for every spelling of a carrier's id (docs/decisions/0026). The version before needs the former indexes, and its
 * rows get their key by default: without accounts it has never run. docs/operate/upgrade.md says when to drop them.
 */
export class MessageKeys1700000019650 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Not INSTANT: MySQL exchanges no partition of a table with an INSTANT column. MariaDB is instant anyway.
    if (!(await queryRunner.hasColumn(TABLE, 'message_key')))
      await queryRunner.query(
        'ALTER TABLE provider_messages ADD COLUMN message_key BIGINT UNSIGNED NULL, ALGORITHM=INPLACE, LOCK=NONE',
      );
    const accounts = (await queryRunner.query('SELECT 1 FROM accounts LIMIT 1')) as unknown[];
    if (accounts.length > 0) {
      await queryRunner.query(
        `ALTER TABLE provider_messages ALTER COLUMN message_key SET DEFAULT (${KEY}), ALGORITHM=INSTANT`,
      );
      for (let ago = 0; ago <= DAYS; ago++) await this.fill(queryRunner, ago);
    }
    if (!(await hasIndex(queryRunner, TABLE, 'ix_provider_messages_key')))
      await queryRunner.query(
        'ALTER TABLE provider_messages ADD KEY ix_provider_messages_key (message_key), ALGORITHM=INPLACE, LOCK=NONE',
      );
    if (accounts.length > 0) return;
    for (const name of Object.keys(FORMER)) {
      if (await hasIndex(queryRunner, TABLE, name))
        await queryRunner.query(`ALTER TABLE provider_messages DROP KEY ${name}, ALGORITHM=INPLACE, LOCK=NONE`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(FORMER)) {
      if (!(await hasIndex(queryRunner, TABLE, name)))
        await queryRunner.query(`ALTER TABLE ${TABLE} ADD KEY ${name} ${columns}, ALGORITHM=INPLACE, LOCK=NONE`);
    }
    if (await hasIndex(queryRunner, TABLE, 'ix_provider_messages_key'))
      await queryRunner.query('ALTER TABLE provider_messages DROP KEY ix_provider_messages_key');
    if (await queryRunner.hasColumn(TABLE, 'message_key'))
      await queryRunner.query('ALTER TABLE provider_messages DROP COLUMN message_key');
  }

  /** Keys of the rows of one day, each step committed. */
  private async fill(queryRunner: QueryRunner, ago: number): Promise<void> {
    const day = `sent_on = UTC_DATE() - INTERVAL ${ago} DAY`;
    for (let last: Place | undefined = { campaign_id: 0, seq: 0 }; last;) {
      const { campaign_id: campaign, seq }: Place = last;
      const after = [campaign, campaign, seq];
      const [next] = (await queryRunner.query(
        `SELECT campaign_id, seq FROM provider_messages FORCE INDEX (PRIMARY)
         WHERE ${day} AND (campaign_id > ? OR campaign_id = ? AND seq > ?)
         ORDER BY campaign_id, seq LIMIT 1 OFFSET ${ROWS_A_STEP - 1}`,
        after,
      )) as Place[];
      const until = next ? [next.campaign_id, next.campaign_id, next.seq] : [];
      await queryRunner.query(
        `UPDATE /* unbounded: ${ROWS_A_STEP} rows by their key */ provider_messages FORCE INDEX (PRIMARY)
         SET message_key = ${KEY}
         WHERE ${day} AND message_key IS NULL AND (campaign_id > ? OR campaign_id = ? AND seq > ?)
           ${next ? 'AND (campaign_id < ? OR campaign_id = ? AND seq <= ?)' : ''}`,
        [...after, ...until],
      );
      await queryRunner.commitTransaction();
      await queryRunner.startTransaction();
      last = next;
    }
  }
}
