import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasIndex } from '../schema-parts.js';

const ROWS_A_STEP = 20_000;
const ACCEPTED = "'2024-01-01' + INTERVAL (campaign_id DIV 4096) * 1000 MICROSECOND";
/**
 * The day of the submission; of what is older than that column, the day for which the campaign was scheduled, or of its
 * acceptance, which stands in its id: readers look from there on.
 */
const DAY = `DATE(COALESCE(submitted_at,
  (SELECT c.scheduled_at FROM campaigns c WHERE c.id = provider_messages.campaign_id), ${ACCEPTED}))`;

/**
 * Carriers' ids by the day of their submission, under a key that allows an id more than once: a carrier that counts from the
 * start again names another message by it (docs/decisions/0026).
 */
export class MessagesByDay1700000014401 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (!(await hasIndex(queryRunner, 'provider_messages', 'uq_provider_messages'))) return;
    if (!(await queryRunner.hasColumn('provider_messages', 'sent_on'))) {
      await queryRunner.query('ALTER TABLE provider_messages ADD COLUMN sent_on DATE NULL AFTER item');
    }
    for (let after = 0; ;) {
      const [step] = (await queryRunner.query(
        `SELECT MAX(campaign_id) AS last FROM (SELECT campaign_id FROM provider_messages WHERE campaign_id > ?
           ORDER BY campaign_id LIMIT ${ROWS_A_STEP}) step`,
        [after],
      )) as { last: number | null }[];
      if (step?.last == null) break;
      await queryRunner.query(
        `UPDATE provider_messages SET sent_on = ${DAY} WHERE campaign_id > ? AND campaign_id <= ? AND sent_on IS NULL`,
        [after, step.last],
      );
      after = Number(step.last);
    }
    await queryRunner.query(
      `ALTER TABLE provider_messages MODIFY COLUMN sent_on DATE NOT NULL DEFAULT (utc_date()) AFTER item,
         DROP PRIMARY KEY, ADD PRIMARY KEY (campaign_id, seq, item, sent_on),
         DROP INDEX uq_provider_messages, ADD INDEX ix_provider_messages_id (route_id, provider_message_id)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // The newest message of an id, and of an item, is the one that it names.
    for (const same of ['a.route_id = b.route_id AND a.provider_message_id = b.provider_message_id', SAME_ITEM]) {
      await queryRunner.query(
        `DELETE a FROM provider_messages a JOIN provider_messages b ON ${same}
           AND (a.sent_on, a.campaign_id, a.seq, a.item) < (b.sent_on, b.campaign_id, b.seq, b.item)`,
      );
    }
    await queryRunner.query(
      `ALTER TABLE provider_messages DROP PRIMARY KEY, ADD PRIMARY KEY (campaign_id, seq, item), DROP COLUMN sent_on,
         DROP INDEX ix_provider_messages_id, ADD UNIQUE INDEX uq_provider_messages (route_id, provider_message_id)`,
    );
  }
}

const SAME_ITEM = 'a.campaign_id = b.campaign_id AND a.seq = b.seq AND a.item = b.item';
