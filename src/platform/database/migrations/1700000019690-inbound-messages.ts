import type { MigrationInterface, QueryRunner } from 'typeorm';

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';

const TABLES: Readonly<Record<string, string>> = {
  inbound_messages: `
    id BIGINT NOT NULL,
    route_id INT UNSIGNED NOT NULL,
    account_id INT UNSIGNED NOT NULL DEFAULT 0,
    sender VARCHAR(32) NOT NULL,
    recipient VARCHAR(32) NOT NULL,
    text LONGTEXT NOT NULL,
    encoding VARCHAR(8) ${ASCII} NOT NULL,
    parts SMALLINT UNSIGNED NOT NULL,
    incomplete TINYINT UNSIGNED NOT NULL DEFAULT 0,
    keyword VARCHAR(64) NULL,
    campaign_id BIGINT NULL,
    seq INT UNSIGNED NULL,
    owner_due DATETIME(3) NULL,
    reply VARCHAR(1600) NULL,
    reply_due DATETIME(3) NULL,
    reply_state TINYINT UNSIGNED NOT NULL DEFAULT 0,
    received_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    KEY ix_inbound_messages_account (account_id, id),
    KEY ix_inbound_messages_sender (account_id, sender, id),
    KEY ix_inbound_messages_answered (campaign_id, seq),
    KEY ix_inbound_messages_owner (owner_due),
    KEY ix_inbound_messages_reply (reply_due),
    KEY ix_inbound_messages_replied (reply_state, id),
    KEY ix_inbound_messages_received (received_at)`,
  inbound_deliveries: `
    fingerprint CHAR(43) ${ASCII} NOT NULL,
    claim BIGINT NOT NULL,
    sequence BIGINT UNSIGNED NULL,
    acknowledged TINYINT UNSIGNED NOT NULL DEFAULT 0,
    repeatable_until DATETIME(3) NOT NULL,
    PRIMARY KEY (fingerprint),
    KEY ix_inbound_deliveries_until (repeatable_until)`,
  inbound_parts: `
    message_key CHAR(43) ${ASCII} NOT NULL,
    part SMALLINT UNSIGNED NOT NULL,
    content LONGTEXT NOT NULL,
    due_at DATETIME(3) NULL,
    PRIMARY KEY (message_key, part),
    KEY ix_inbound_parts_due (due_at)`,
  inbound_numbers: `
    id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    number VARCHAR(32) NOT NULL,
    route_id INT UNSIGNED NOT NULL,
    keyword VARCHAR(64) NOT NULL DEFAULT '',
    account_id INT UNSIGNED NOT NULL,
    created_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_inbound_numbers (number, route_id, keyword),
    KEY ix_inbound_numbers_account (account_id)`,
  inbound_answers: `
    account_id INT UNSIGNED NOT NULL,
    person VARCHAR(32) NOT NULL,
    message_id BIGINT NOT NULL,
    answered_at DATETIME(3) NOT NULL,
    PRIMARY KEY (account_id, person),
    KEY ix_inbound_answers_answered (answered_at)`,
  account_keywords: `
    account_id INT UNSIGNED NOT NULL,
    word VARCHAR(64) NOT NULL,
    action VARCHAR(8) ${ASCII} NOT NULL,
    reply VARCHAR(1600) NULL,
    updated_at DATETIME(3) NOT NULL,
    PRIMARY KEY (account_id, word)`,
};

/** Texts of handsets, their parts, owners and keywords. */
export class InboundMessages1700000019690 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(TABLES))
      await queryRunner.query(
        `CREATE TABLE IF NOT EXISTS ${table} (${columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
      );
    // Not INSTANT: MySQL exchanges no partition of a table with an INSTANT column.
    if (!(await queryRunner.hasColumn('route_senders', 'campaign_id')))
      await queryRunner.query(
        `ALTER TABLE route_senders ADD COLUMN campaign_id BIGINT NULL, ADD COLUMN seq INT UNSIGNED NULL,
         ALGORITHM=INPLACE, LOCK=NONE`,
      );
    if (!(await queryRunner.hasColumn('suppressions', 'spared_campaign')))
      await queryRunner.query('ALTER TABLE suppressions ADD COLUMN spared_campaign BIGINT NULL, ALGORITHM=INSTANT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of Object.keys(TABLES)) await queryRunner.query(`DROP TABLE IF EXISTS ${table}`);
    if (await queryRunner.hasColumn('route_senders', 'campaign_id'))
      await queryRunner.query('ALTER TABLE route_senders DROP COLUMN campaign_id, DROP COLUMN seq');
    if (await queryRunner.hasColumn('suppressions', 'spared_campaign'))
      await queryRunner.query('ALTER TABLE suppressions DROP COLUMN spared_campaign');
  }
}
