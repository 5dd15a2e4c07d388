import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Customers' webhooks: endpoints, events, what waits to be delivered, and the log of tries
 * (reference/webhooks#own-routes).
 */
export class Webhooks1700000009000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      `CREATE TABLE webhook_endpoints (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        account_id INT UNSIGNED NOT NULL,
        slot TINYINT UNSIGNED NULL,
        url VARCHAR(2048) NOT NULL,
        events VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        status VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        disabled_reason VARCHAR(255) NULL,
        secret VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        previous_secret VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
        previous_until DATETIME(3) NULL,
        failing_since DATETIME(3) NULL,
        held_until DATETIME(3) NULL,
        fence INT UNSIGNED NOT NULL,
        lease_until DATETIME(3) NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_webhook_endpoints_slot (account_id, slot),
        KEY ix_webhook_endpoints_status (status, lease_until)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
      `CREATE TABLE webhook_events (
        id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        body LONGTEXT NOT NULL,
        campaign_id BIGINT NULL,
        seq INT UNSIGNED NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_webhook_events_recipient (campaign_id, seq)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
      `CREATE TABLE webhook_deliveries (
        endpoint_id INT UNSIGNED NOT NULL,
        event_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        due_at DATETIME(3) NOT NULL,
        tries SMALLINT UNSIGNED NOT NULL,
        attempts INT UNSIGNED NOT NULL,
        revision INT UNSIGNED NOT NULL,
        PRIMARY KEY (endpoint_id, event_id),
        KEY ix_webhook_deliveries_due (endpoint_id, due_at)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
      `CREATE TABLE webhook_attempts (
        endpoint_id INT UNSIGNED NOT NULL,
        id BIGINT NOT NULL,
        event_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        attempt INT UNSIGNED NOT NULL,
        status_code SMALLINT UNSIGNED NULL,
        error VARCHAR(255) NULL,
        answer VARCHAR(1024) NOT NULL,
        duration_ms INT UNSIGNED NOT NULL,
        created_at DATETIME(3) NOT NULL,
        next_attempt_at DATETIME(3) NULL,
        PRIMARY KEY (endpoint_id, id),
        KEY ix_webhook_attempts_event (event_id)
      ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
      // The answer to a scheduled session message carries our id, and so do the events that tell of it.
      'ALTER TABLE session_messages ADD COLUMN scheduled TINYINT UNSIGNED NOT NULL DEFAULT 0',
    ])
      await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      'ALTER TABLE session_messages DROP COLUMN scheduled',
      'DROP TABLE webhook_attempts',
      'DROP TABLE webhook_deliveries',
      'DROP TABLE webhook_events',
      'DROP TABLE webhook_endpoints',
    ])
      await queryRunner.query(statement);
  }
}
