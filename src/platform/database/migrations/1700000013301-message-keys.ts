import type { MigrationInterface, QueryRunner } from 'typeorm';

const ID = 'm.provider_message_id';
const WITHOUT_ZEROS = `TRIM(LEADING '0' FROM REGEXP_REPLACE(LOWER(${ID}), '^0x', ''))`;
const KEY = `IF(${ID} LIKE '%-%', LOWER(${ID}), IF(${WITHOUT_ZEROS} = '', '0', ${WITHOUT_ZEROS}))`;
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** Carriers' ids by value. Those of campaigns that are over need no key: nothing waits for their receipts. */
export class MessageKeys1700000013301 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE provider_messages ADD COLUMN match_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL',
    );
    await queryRunner.query(
      `UPDATE provider_messages m JOIN campaigns c ON c.id = m.campaign_id AND c.unsettled > 0 SET m.match_key = ${KEY}
       WHERE (LOWER(${ID}) REGEXP '^(0x)?[0-9a-f]{1,40}$' OR LOWER(${ID}) REGEXP '${UUID}') AND ${KEY} <> ${ID}`,
    );
    await queryRunner.query('CREATE INDEX ix_provider_messages_match ON provider_messages (route_id, match_key)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX ix_provider_messages_match ON provider_messages');
    await queryRunner.query('ALTER TABLE provider_messages DROP COLUMN match_key');
  }
}
