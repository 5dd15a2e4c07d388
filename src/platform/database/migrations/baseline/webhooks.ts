import { type DayBound, idBound } from '../../day-partitions.js';
import { type BaselineTable, table } from './table.js';

/** Ids of events carry the time too: `evt_` and the id in hexadecimal digits. */
const eventBound: DayBound = (start) => `'evt_${start.getTime().toString(16).padStart(12, '0')}'`;

/** Webhook endpoints, events and deliveries. */
export const WEBHOOKS: readonly BaselineTable[] = [
  table(
    'webhook_endpoints',
    `
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
    next_due_at DATETIME(3) NULL,
    created_at DATETIME(3) NOT NULL,
    updated_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_webhook_endpoints_slot (account_id, slot),
    KEY ix_webhook_endpoints_due (status, next_due_at),
    KEY ix_webhook_endpoints_listed (status, id),
    KEY ix_webhook_endpoints_failing (failing_since)`,
  ),
  table(
    'webhook_events',
    `
    id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    account_id INT UNSIGNED NOT NULL,
    type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    body LONGTEXT NOT NULL,
    campaign_id BIGINT NULL,
    seq INT UNSIGNED NULL,
    created_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    KEY ix_webhook_events_recipient (campaign_id, seq)`,
    { by: 'RANGE COLUMNS (id)', bound: eventBound },
  ),
  table(
    'webhook_deliveries',
    `
    endpoint_id INT UNSIGNED NOT NULL,
    event_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    due_at DATETIME(3) NOT NULL,
    tries SMALLINT UNSIGNED NOT NULL,
    attempts INT UNSIGNED NOT NULL,
    revision INT UNSIGNED NOT NULL,
    PRIMARY KEY (endpoint_id, event_id),
    KEY ix_webhook_deliveries_due (endpoint_id, due_at)`,
  ),
  table(
    'webhook_attempts',
    `
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
    KEY ix_webhook_attempts_event (event_id)`,
    { by: 'RANGE (id)', bound: idBound },
  ),
  table(
    'webhook_counters',
    `
    endpoint_id INT UNSIGNED NOT NULL,
    period DATETIME NOT NULL,
    tries INT UNSIGNED NOT NULL,
    failed INT UNSIGNED NOT NULL,
    last_success_at DATETIME(3) NULL,
    PRIMARY KEY (endpoint_id, period),
    KEY ix_webhook_counters_period (period)`,
  ),
];
