import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin';

/** Accounts, credits, routes, campaigns and the audit log. Statements are portable between MariaDB 10.11 and MySQL 8.4. */
export class Foundation1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      `CREATE TABLE accounts (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        username VARCHAR(64) NOT NULL,
        password_hash VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        password_changed_at DATETIME(3) NOT NULL,
        email VARCHAR(254) NULL,
        mobile_no VARCHAR(32) NULL,
        firstname VARCHAR(100) NOT NULL,
        lastname VARCHAR(100) NOT NULL,
        country VARCHAR(100) NULL,
        user_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
        parent_id INT UNSIGNED NULL,
        is_active TINYINT(1) NOT NULL,
        expires_at DATETIME(3) NULL,
        api_base_url VARCHAR(255) NULL,
        time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        require_token TINYINT(1) NOT NULL,
        refund_failed TINYINT(1) NOT NULL,
        public_lookup TINYINT(1) NOT NULL,
        permissions LONGTEXT NOT NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_accounts_username (username),
        KEY ix_accounts_parent (parent_id)
      ) ${TABLE}`,
      `CREATE TABLE login_identities (
        kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        value VARCHAR(254) NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        PRIMARY KEY (kind, value),
        KEY ix_login_identities_account (account_id)
      ) ${TABLE}`,
      `CREATE TABLE teams (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        account_id INT UNSIGNED NOT NULL,
        name VARCHAR(100) NOT NULL,
        is_default TINYINT(1) NOT NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_teams_name (account_id, name)
      ) ${TABLE}`,
      `CREATE TABLE credit_balances (
        account_id INT UNSIGNED NOT NULL,
        balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        available BIGINT NOT NULL,
        PRIMARY KEY (account_id, balance),
        CONSTRAINT ck_credit_balances_available CHECK (available >= 0)
      ) ${TABLE}`,
      `CREATE TABLE credit_ledger (
        id BIGINT NOT NULL AUTO_INCREMENT,
        account_id INT UNSIGNED NOT NULL,
        balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        amount BIGINT NOT NULL,
        available BIGINT NOT NULL,
        kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        note VARCHAR(255) NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_credit_ledger_account (account_id, balance, id)
      ) ${TABLE}`,
      `CREATE TABLE audit_log (
        id BIGINT NOT NULL AUTO_INCREMENT,
        actor_id INT UNSIGNED NULL,
        actor VARCHAR(64) NOT NULL,
        action VARCHAR(64) NOT NULL,
        subject VARCHAR(128) NOT NULL,
        details LONGTEXT NOT NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_audit_log_actor (actor, id)
      ) ${TABLE}`,
      `CREATE TABLE routes (
        id INT UNSIGNED NOT NULL AUTO_INCREMENT,
        name VARCHAR(64) NOT NULL,
        channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        driver VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        config LONGTEXT NOT NULL,
        messages_per_second INT UNSIGNED NULL,
        default_for VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
        callback_secret VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        pace_us BIGINT NOT NULL,
        created_at DATETIME(3) NOT NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_routes_name (name),
        UNIQUE KEY uq_routes_default (default_for)
      ) ${TABLE}`,
      `CREATE TABLE campaigns (
        id BIGINT NOT NULL,
        account_id INT UNSIGNED NOT NULL,
        request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        broadcast_name VARCHAR(255) NOT NULL,
        service VARCHAR(255) NOT NULL,
        route_id INT UNSIGNED NOT NULL,
        content LONGTEXT NOT NULL,
        fingerprint BINARY(32) NULL,
        balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        unit_credits INT UNSIGNED NOT NULL,
        total_rows INT UNSIGNED NOT NULL,
        unsettled INT UNSIGNED NOT NULL,
        refunded_credits BIGINT NOT NULL,
        retry_of VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        scheduled_at DATETIME(3) NULL,
        overdue_check_at DATETIME(3) NULL,
        created_at DATETIME(3) NOT NULL,
        sent_at DATETIME(3) NULL,
        completed_at DATETIME(3) NULL,
        PRIMARY KEY (id),
        UNIQUE KEY uq_campaigns_request (request_id),
        KEY ix_campaigns_account (account_id, id),
        KEY ix_campaigns_overdue (overdue_check_at),
        KEY ix_campaigns_route (route_id)
      ) ${TABLE}`,
      `CREATE TABLE campaign_counters (
        campaign_id BIGINT NOT NULL,
        status TINYINT UNSIGNED NOT NULL,
        recipients INT NOT NULL,
        PRIMARY KEY (campaign_id, status)
      ) ${TABLE}`,
      `CREATE TABLE campaign_lanes (
        campaign_id BIGINT NOT NULL,
        lane SMALLINT UNSIGNED NOT NULL,
        channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        next_seq INT UNSIGNED NOT NULL,
        intent_seq INT UNSIGNED NOT NULL,
        end_seq INT UNSIGNED NOT NULL,
        fence INT UNSIGNED NOT NULL,
        lease_until DATETIME(3) NULL,
        wake_at DATETIME(3) NULL,
        PRIMARY KEY (campaign_id, lane),
        KEY ix_campaign_lanes_wake (channel, wake_at)
      ) ${TABLE}`,
      `CREATE TABLE campaign_recipients (
        campaign_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        status TINYINT UNSIGNED NOT NULL,
        attempts TINYINT UNSIGNED NOT NULL,
        error_code INT NULL,
        error_message VARCHAR(255) NULL,
        duration INT UNSIGNED NULL,
        updated_at DATETIME(3) NOT NULL,
        PRIMARY KEY (campaign_id, seq)
      ) ${TABLE}`,
      `CREATE TABLE recipient_retries (
        campaign_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        lane SMALLINT UNSIGNED NOT NULL,
        due_at DATETIME(3) NOT NULL,
        attempt SMALLINT UNSIGNED NOT NULL,
        intent_fence INT UNSIGNED NULL,
        PRIMARY KEY (campaign_id, seq),
        KEY ix_recipient_retries_due (campaign_id, lane, due_at)
      ) ${TABLE}`,
      `CREATE TABLE provider_messages (
        campaign_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        item SMALLINT UNSIGNED NOT NULL,
        route_id INT UNSIGNED NOT NULL,
        provider_message_id VARCHAR(128) NOT NULL,
        items SMALLINT UNSIGNED NOT NULL,
        status TINYINT UNSIGNED NOT NULL,
        PRIMARY KEY (campaign_id, seq, item),
        UNIQUE KEY uq_provider_messages (route_id, provider_message_id)
      ) ${TABLE}`,
      `CREATE TABLE unknown_outcomes (
        campaign_id BIGINT NOT NULL,
        seq INT UNSIGNED NOT NULL,
        route_id INT UNSIGNED NOT NULL,
        receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        created_at DATETIME(3) NOT NULL,
        PRIMARY KEY (campaign_id, seq),
        KEY ix_unknown_outcomes_receiver (route_id, receiver)
      ) ${TABLE}`,
      `CREATE TABLE parked_receipts (
        id BIGINT NOT NULL,
        route_id INT UNSIGNED NOT NULL,
        provider_message_id VARCHAR(128) NOT NULL,
        receipt LONGTEXT NOT NULL,
        received_at DATETIME(3) NOT NULL,
        PRIMARY KEY (id),
        KEY ix_parked_receipts_message (route_id, provider_message_id),
        KEY ix_parked_receipts_received (received_at)
      ) ${TABLE}`,
    ])
      await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [
      'parked_receipts',
      'unknown_outcomes',
      'provider_messages',
      'recipient_retries',
      'campaign_recipients',
      'campaign_lanes',
      'campaign_counters',
      'campaigns',
      'routes',
      'audit_log',
      'credit_ledger',
      'credit_balances',
      'teams',
      'login_identities',
      'accounts',
    ])
      await queryRunner.query(`DROP TABLE ${table}`);
  }
}
