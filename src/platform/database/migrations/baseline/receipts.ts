import { dateBound } from '../../day-partitions.js';
import { type BaselineTable, table } from './table.js';

/** Messages at carriers, their receipts, and outcomes that nobody knows. */
export const RECEIPTS: readonly BaselineTable[] = [
  table(
    'provider_messages',
    `
    campaign_id BIGINT NOT NULL,
    seq INT UNSIGNED NOT NULL,
    item SMALLINT UNSIGNED NOT NULL,
    sent_on DATE NOT NULL DEFAULT (UTC_DATE()),
    route_id INT UNSIGNED NOT NULL,
    provider_message_id VARCHAR(128) NOT NULL,
    items SMALLINT UNSIGNED NOT NULL,
    status TINYINT UNSIGNED NOT NULL,
    submitted_at DATETIME(3) DEFAULT (UTC_TIMESTAMP(3)),
    receipts INT UNSIGNED NOT NULL DEFAULT 0,
    match_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    PRIMARY KEY (campaign_id, seq, item, sent_on),
    KEY ix_provider_messages_match (route_id, match_key),
    KEY ix_provider_messages_id (route_id, provider_message_id)`,
    { by: 'RANGE COLUMNS (sent_on)', bound: dateBound },
  ),
  table(
    'parked_receipts',
    `
    id BIGINT NOT NULL,
    route_id INT UNSIGNED NOT NULL,
    provider_message_id VARCHAR(128) NOT NULL,
    receipt LONGTEXT NOT NULL,
    received_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    KEY ix_parked_receipts_message (route_id, provider_message_id),
    KEY ix_parked_receipts_received (received_at)`,
  ),
  table(
    'unknown_outcomes',
    `
    campaign_id BIGINT NOT NULL,
    seq INT UNSIGNED NOT NULL,
    route_id INT UNSIGNED NOT NULL,
    receiver VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL,
    lost_fence BIGINT UNSIGNED NULL,
    lost_claim BIGINT NULL,
    lost_lane SMALLINT UNSIGNED NULL,
    PRIMARY KEY (campaign_id, seq),
    KEY ix_unknown_outcomes_receiver (route_id, receiver),
    KEY ix_unknown_outcomes_created (created_at)`,
  ),
  table(
    'restores',
    `
    id BIGINT NOT NULL,
    restored_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id)`,
  ),
  table(
    'restored_campaigns',
    `
    campaign_id BIGINT NOT NULL,
    restore_id BIGINT NOT NULL,
    held TINYINT UNSIGNED NOT NULL DEFAULT 0,
    resumed_at DATETIME(3) NULL,
    PRIMARY KEY (campaign_id, restore_id)`,
  ),
];
