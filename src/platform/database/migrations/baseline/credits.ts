import { type BaselineTable, table } from './table.js';

/** Balances, the ledger, its closings, usage and rate plans. */
export const CREDITS: readonly BaselineTable[] = [
  table(
    'credit_balances',
    `
    account_id INT UNSIGNED NOT NULL,
    balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    available BIGINT NOT NULL,
    alert_below BIGINT NULL,
    PRIMARY KEY (account_id, balance),
    CONSTRAINT ck_credit_balances_available CHECK (available >= 0)`,
  ),
  table(
    'credit_ledger',
    `
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
    KEY ix_credit_ledger_account (account_id, balance, id)`,
  ),
  table(
    'credit_months',
    `
    month DATE NOT NULL,
    after_id BIGINT NOT NULL,
    last_id BIGINT NOT NULL,
    closed_id BIGINT NOT NULL,
    removed TINYINT UNSIGNED NOT NULL DEFAULT 0,
    PRIMARY KEY (month)`,
  ),
  table(
    'credit_closings',
    `
    account_id INT UNSIGNED NOT NULL,
    balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    month DATE NOT NULL,
    entries INT UNSIGNED NOT NULL,
    moved BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    refunded BIGINT NOT NULL,
    closing BIGINT NOT NULL,
    PRIMARY KEY (account_id, balance, month)`,
  ),
  table(
    'reseller_grants',
    `
    reseller_id INT UNSIGNED NOT NULL,
    account_id INT UNSIGNED NOT NULL,
    balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (reseller_id, account_id, balance),
    CONSTRAINT ck_reseller_grants_amount CHECK (amount >= 0)`,
  ),
  table(
    'usage_counters',
    `
    account_id INT UNSIGNED NOT NULL,
    day DATE NOT NULL,
    balance VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    prefix VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    sender VARCHAR(32) NOT NULL,
    charged_recipients BIGINT NOT NULL,
    charged_credits BIGINT NOT NULL,
    refunded_recipients BIGINT NOT NULL,
    refunded_credits BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, balance, channel, prefix, sender),
    KEY ix_usage_counters_day (day)`,
  ),
  table(
    'rate_plans',
    `
    id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    revision INT UNSIGNED NOT NULL,
    given INT UNSIGNED NOT NULL,
    created_at DATETIME(3) NOT NULL,
    updated_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_rate_plans_name (name)`,
  ),
  table(
    'rate_plan_rows',
    `
    plan_id INT UNSIGNED NOT NULL,
    channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    prefix VARCHAR(15) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    credits_per_segment INT UNSIGNED NOT NULL,
    PRIMARY KEY (plan_id, channel, prefix)`,
  ),
];
