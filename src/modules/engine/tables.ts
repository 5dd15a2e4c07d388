import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { dateBound, idBound } from '../../platform/database/index.js';
import type { TableRule } from '../../platform/periodic/index.js';

/** Answers come soon after their message (reference/suppressions#stop-words). */
export const SENDERS_KEPT_DAYS = 30;

/** Renewed with every commit; a page is read and priced in between. The database ends each statement after 25 s. */
export const ACCEPTANCE_LEASE_MS = 120_000;

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Index('ix_campaign_lanes_account', ['channel', 'routeId', 'single', 'accountId', 'wakeAt'])
@Index('ix_campaign_lanes_settle', ['settleAt'])
@Index('ix_campaign_lanes_route', ['channel', 'routeId', 'single', 'wakeAt'])
@Entity('campaign_lanes')
export class CampaignLaneEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'lane', type: 'smallint', unsigned: true })
  lane!: number;

  @Column({ name: 'channel', type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** 1 = a single message, which never waits behind campaigns */
  @Column({ name: 'single', type: 'tinyint', unsigned: true, default: 0 })
  single!: number;

  @Column({ name: 'next_seq', type: 'int', unsigned: true })
  nextSeq!: number;

  @Column({ name: 'intent_seq', type: 'int', unsigned: true })
  intentSeq!: number;

  @Column({ name: 'end_seq', type: 'int', unsigned: true })
  endSeq!: number;

  @Column({ name: 'fence', type: 'bigint', unsigned: true })
  fence!: number;

  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  @Column({ name: 'wake_at', type: 'datetime', precision: 3, nullable: true })
  wakeAt!: Date | null;

  @Column({ name: 'claim_id', type: 'bigint', nullable: true })
  claimId!: number | null;

  /** the route is down or only throttles; null = messages get through */
  @Column({ name: 'stalled_since', type: 'datetime', precision: 3, nullable: true })
  stalledSince!: Date | null;

  @Column({ name: 'moves', type: 'tinyint', unsigned: true, default: 0 })
  moves!: number;

  /** when unsent recipients are settled without a route: end of validity, or cancel; null = never */
  @Column({ name: 'settle_at', type: 'datetime', precision: 3, nullable: true })
  settleAt!: Date | null;
}

@Index('ix_recipient_retries_due', ['campaignId', 'lane', 'intentFence', 'dueAt'])
@Entity('recipient_retries')
export class RecipientRetryEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  @Column({ name: 'lane', type: 'smallint', unsigned: true })
  lane!: number;

  @Column({ name: 'due_at', type: 'datetime', precision: 3 })
  dueAt!: Date;

  @Column({ name: 'attempt', type: 'smallint', unsigned: true })
  attempt!: number;

  @Column({ name: 'intent_fence', type: 'bigint', unsigned: true, nullable: true })
  intentFence!: number | null;

  @Column({ name: 'last_status', type: 'tinyint', unsigned: true, nullable: true })
  lastStatus!: number | null;
}

/** A database copy that was put into use (docs/decisions/0042). */
@Entity('restores')
export class RestoreEntity {
  @PrimaryColumn({ name: 'id', type: 'bigint' })
  id!: number;

  @Column({ name: 'restored_at', type: 'datetime', precision: 3 })
  restoredAt!: Date;
}

/** Pending decisions of a campaign after a restore. */
@Entity('restored_campaigns')
export class RestoredCampaignEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'restore_id', type: 'bigint' })
  restoreId!: number;

  /** 1 = paused by the restore before its schedule */
  @Column({ name: 'held', type: 'tinyint', unsigned: true, default: 0 })
  held!: number;

  @Column({ name: 'resumed_at', type: 'datetime', precision: 3, nullable: true })
  resumedAt!: Date | null;
}

const restoredEntities = [RestoreEntity, RestoredCampaignEntity];

@Index('ix_provider_messages_key', ['messageKey'])
@Entity('provider_messages')
export class ProviderMessageEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  @PrimaryColumn({ name: 'item', type: 'smallint', unsigned: true })
  item!: number;

  /** day of acceptance by the carrier (UTC); limits the days that receipts search */
  @PrimaryColumn({ name: 'sent_on', type: 'date', default: () => 'utc_date()' })
  sentOn!: string;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'provider_message_id', type: 'varchar', length: 128 })
  providerMessageId!: string;

  /** written by the version before (docs/operate/upgrade.md) */
  @Column({ name: 'match_key', type: 'varchar', length: 64, ...ASCII, nullable: true })
  matchKey!: string | null;

  @Column({ name: 'items', type: 'smallint', unsigned: true })
  items!: number;

  @Column({ name: 'status', type: 'tinyint', unsigned: true })
  status!: number;

  /** written with every decision over sibling items, so that concurrent ones conflict */
  @Column({ name: 'receipts', type: 'int', unsigned: true, default: 0 })
  receipts!: number;

  /** `messageKey` of route and id */
  @Column({ name: 'message_key', type: 'bigint', unsigned: true, nullable: true })
  messageKey!: number | null;

  /** by the database's clock */
  @Column({ name: 'submitted_at', type: 'datetime', precision: 3, nullable: true, default: () => 'utc_timestamp(3)' })
  submittedAt!: Date | null;
}

@Index('ix_unknown_outcomes_created', ['createdAt'])
@Index('ix_unknown_outcomes_receiver', ['routeId', 'receiver'])
@Entity('unknown_outcomes')
export class UnknownOutcomeEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'receiver', type: 'varchar', length: 32, ...ASCII })
  receiver!: string;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  /** set if only a claim of a worker taken for dead is the reason: its late result decides */
  @Column({ name: 'lost_fence', type: 'bigint', unsigned: true, nullable: true })
  lostFence!: number | null;

  /** id of that claim, named by submit logs (`LostSubmitLogs`) */
  @Column({ name: 'lost_claim', type: 'bigint', nullable: true })
  lostClaim!: number | null;

  @Column({ name: 'lost_lane', type: 'smallint', unsigned: true, nullable: true })
  lostLane!: number | null;
}

@Index('ix_parked_receipts_message', ['routeId', 'providerMessageId'])
@Index('ix_parked_receipts_received', ['receivedAt'])
@Entity('parked_receipts')
export class UnmatchedReceiptEntity {
  @PrimaryColumn({ name: 'id', type: 'bigint' })
  id!: number;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'provider_message_id', type: 'varchar', length: 128 })
  providerMessageId!: string;

  @Column({ name: 'receipt', type: 'longtext' })
  receipt!: string;

  @Column({ name: 'received_at', type: 'datetime', precision: 3 })
  receivedAt!: Date;
}

const messageEntities = [ProviderMessageEntity, UnknownOutcomeEntity, UnmatchedReceiptEntity];

@Index('ix_route_changes_seq', ['campaignId', 'seq'])
@Entity('route_changes')
export class RouteChangeEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'lane', type: 'smallint', unsigned: true })
  lane!: number;

  /** 0 = the whole lane, as far as unsent */
  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  /** makes repeated writes idempotent */
  @PrimaryColumn({ name: 'fence', type: 'bigint', unsigned: true })
  fence!: number;

  @Column({ name: 'to_lane', type: 'smallint', unsigned: true })
  toLane!: number;

  /** first untried recipient; before it only retries moved */
  @Column({ name: 'from_seq', type: 'int', unsigned: true })
  fromSeq!: number;

  @Column({ name: 'at', type: 'datetime', precision: 3 })
  at!: Date;

  @Column({ name: 'from_route', type: 'int', unsigned: true })
  fromRoute!: number;

  @Column({ name: 'to_route', type: 'int', unsigned: true })
  toRoute!: number;

  @Column({ name: 'reason', type: 'varchar', length: 255 })
  reason!: string;
}

/** Last sender to a number per route and day. Day partitions and no second index, because every send writes here. */
@Entity('route_senders')
export class RouteSenderEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ name: 'number', type: 'varchar', length: 32, ...ASCII })
  number!: string;

  /** by day, so that further sends of the day cost no write */
  @PrimaryColumn({ name: 'sent_on', type: 'date' })
  sentOn!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** the recipient of the account's last send: a text of this number answers it */
  @Column({ name: 'campaign_id', type: 'bigint', nullable: true })
  campaignId!: number | null;

  @Column({ type: 'int', unsigned: true, nullable: true })
  seq!: number | null;
}

@Index('uq_campaigns_request', ['requestId'], { unique: true })
@Index('ix_campaigns_account', ['accountId', 'isTest', 'id'])
@Index('ix_campaigns_account_state', ['accountId', 'state', 'channel', 'isTest', 'id'])
@Index('ix_campaigns_overdue', ['overdueCheckAt'])
@Index('ix_campaigns_retry_of', ['retryOf'])
@Index('ix_campaigns_route_state', ['routeId', 'state', 'id'])
@Index('ix_campaigns_settlement', ['settlementDue', 'completedAt'])
@Index('ix_campaigns_state', ['state', 'channel', 'id'])
@Entity('campaigns')
export class CampaignEntity {
  @PrimaryColumn({ name: 'id', type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ name: 'request_id', type: 'varchar', length: 64, ...ASCII })
  requestId!: string;

  @Column({ name: 'channel', type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  @Column({ name: 'state', type: 'varchar', length: 16, ...ASCII })
  state!: string;

  /** sent with a test key: nothing leaves, nothing is charged */
  @Column({ name: 'is_test', type: 'tinyint', unsigned: true, default: 0 })
  isTest!: number;

  @Column({ name: 'broadcast_name', type: 'varchar', length: 255 })
  broadcastName!: string;

  @Column({ name: 'service', type: 'varchar', length: 255 })
  service!: string;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'sender', type: 'varchar', length: 32, nullable: true })
  sender!: string | null;

  @Column({ name: 'category', type: 'varchar', length: 32, ...ASCII, nullable: true })
  category!: string | null;

  @Column({ name: 'content', type: 'longtext' })
  content!: string;

  @Column({ name: 'fingerprint', type: 'binary', length: 32, nullable: true })
  fingerprint!: Buffer | null;

  @Column({ name: 'balance', type: 'varchar', length: 32, ...ASCII })
  balance!: string;

  /** 0 of a test */
  @Column({ name: 'unit_credits', type: 'int', unsigned: true })
  unitCredits!: number;

  @Column({ name: 'own_terms', type: 'tinyint', unsigned: true, default: 0 })
  ownTerms!: number;

  @Column({ name: 'own_kinds', type: 'tinyint', unsigned: true, default: 0 })
  ownKinds!: number;

  @Column({ name: 'charged_credits', type: 'bigint', default: 0 })
  chargedCredits!: number;

  @Column({ name: 'total_rows', type: 'int', unsigned: true })
  totalRows!: number;

  /** lanes with recipients that are not final; 0 = completed (docs/decisions/0026) */
  @Column({ name: 'open_lanes', type: 'smallint', unsigned: true, default: 0 })
  openLanes!: number;

  @Column({ name: 'refunded_credits', type: 'bigint' })
  refundedCredits!: number;

  @Column({ name: 'retry_of', type: 'varchar', length: 64, ...ASCII, nullable: true })
  retryOf!: string | null;

  @Column({ name: 'reason', type: 'varchar', length: 500, nullable: true })
  reason!: string | null;

  @Column({ name: 'trace_parent', type: 'varchar', length: 55, ...ASCII, nullable: true })
  traceParent!: string | null;

  @Column({ name: 'scheduled_at', type: 'datetime', precision: 3, nullable: true })
  scheduledAt!: Date | null;

  @Column({ type: 'varchar', length: 6, nullable: true })
  late!: string | null;

  @Column({ name: 'late_after_s', type: 'int', unsigned: true, nullable: true })
  lateAfterSeconds!: number | null;

  /** a campaign that has not begun by then is cancelled or paused; null = no rule, or a person has decided */
  @Column({ name: 'late_at', type: 'datetime', precision: 3, nullable: true })
  lateAt!: Date | null;

  @Column({ name: 'started_late_s', type: 'int', unsigned: true, nullable: true })
  startedLateSeconds!: number | null;

  @Column({ name: 'overdue_check_at', type: 'datetime', precision: 3, nullable: true })
  overdueCheckAt!: Date | null;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  /** JSON of `MessageTags`; null = not sent as a message */
  @Column({ type: 'text', nullable: true })
  tags!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'sent_at', type: 'datetime', precision: 3, nullable: true })
  sentAt!: Date | null;

  @Column({ name: 'completed_at', type: 'datetime', precision: 3, nullable: true })
  completedAt!: Date | null;

  /** 1 = once it is complete it gets a settlement, 0 = it has one or gets none, 2 = its sums differ from the ledger */
  @Column({ name: 'settlement_due', type: 'tinyint', unsigned: true, default: 1 })
  settlementDue!: number;
}

/** By lane, so that concurrent settlements share no row; readers sum. */
@Entity('campaign_counters')
export class CampaignCounterEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'lane', type: 'smallint', unsigned: true })
  lane!: number;

  @PrimaryColumn({ name: 'status', type: 'tinyint', unsigned: true })
  status!: number;

  @Column({ name: 'recipients', type: 'int' })
  recipients!: number;

  /** recipients of the lane that are not final, in the row of status 0 */
  @Column({ name: 'unsettled', type: 'int', default: 0 })
  unsettled!: number;
}

@Entity('campaign_recipients')
export class CampaignRecipientEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  @Column({ name: 'receiver', type: 'varchar', length: 32, ...ASCII })
  receiver!: string;

  @Column({ name: 'status', type: 'tinyint', unsigned: true })
  status!: number;

  @Column({ name: 'attempts', type: 'tinyint', unsigned: true })
  attempts!: number;

  @Column({ name: 'error_code', type: 'int', nullable: true })
  errorCode!: number | null;

  @Column({ name: 'error_message', type: 'varchar', length: 255, nullable: true })
  errorMessage!: string | null;

  @Column({ name: 'duration', type: 'int', unsigned: true, nullable: true })
  duration!: number | null;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;

  @Column({ name: 'carrier_code', type: 'varchar', length: 32, nullable: true })
  carrierCode!: string | null;

  @Column({ name: 'refused', type: 'tinyint', unsigned: true, default: 0 })
  refused!: number;

  @Column({ name: 'delivered_at', type: 'datetime', precision: 3, nullable: true })
  deliveredAt!: Date | null;

  @Column({ name: 'refunded', type: 'tinyint', unsigned: true, default: 0 })
  refunded!: number;

  /** `seq` in the retried campaign */
  @Column({ name: 'source_seq', type: 'int', unsigned: true, nullable: true })
  sourceSeq!: number | null;

  /** a send may have left without an answer; permanent, and excluded from retries */
  @Column({ name: 'outcome_unknown', type: 'tinyint', unsigned: true, default: 0 })
  outcomeUnknown!: number;
}

@Entity('recipient_terms')
export class RecipientTermsEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  @Column({ name: 'lane_group', type: 'tinyint', unsigned: true, default: 0 })
  laneGroup!: number;

  @Column({ name: 'credits', type: 'int', unsigned: true, nullable: true })
  credits!: number | null;

  @Column({ name: 'sender', type: 'varchar', length: 32, nullable: true })
  sender!: string | null;

  @Column({ name: 'route_id', type: 'int', unsigned: true, nullable: true })
  routeId!: number | null;
}

@Entity('recipient_variables')
export class RecipientVariablesEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'block', type: 'int', unsigned: true })
  block!: number;

  @Column({ name: 'variables', type: 'longtext' })
  variables!: string;
}

/** Chains of lane groups with fallback routes. */
@Entity('campaign_routes')
export class CampaignRoutesEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'lane_group', type: 'tinyint', unsigned: true })
  laneGroup!: number;

  @Column({ name: 'route_ids', type: 'varchar', length: 255, ...ASCII })
  routeIds!: string;
}

/** A campaign being retried; a lease that one retry holds at a time. */
@Entity('campaign_retries')
export class CampaignRetryEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  /** random start: rows are deleted and created again, and an earlier holder must not write */
  @Column({ name: 'fence', type: 'int', unsigned: true, default: 0 })
  fence!: number;

  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;
}

/** An acceptance whose recipients are written before their campaign (docs/decisions/0025). */
@Index('ix_acceptances_under_way_lease', ['leaseUntil'])
@Entity('acceptances_under_way')
export class AcceptanceUnderWayEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @Column({ name: 'fence', type: 'int', unsigned: true })
  fence!: number;

  @Column({ name: 'lease_until', type: 'datetime', precision: 3 })
  leaseUntil!: Date;

  @Column({ name: 'started_at', type: 'datetime', precision: 3 })
  startedAt!: Date;
}

export const campaignEntities = [
  AcceptanceUnderWayEntity,
  CampaignEntity,
  CampaignCounterEntity,
  CampaignLaneEntity,
  CampaignRecipientEntity,
  CampaignRetryEntity,
  CampaignRoutesEntity,
  RecipientTermsEntity,
  RecipientVariablesEntity,
  RecipientRetryEntity,
  RouteChangeEntity,
  RouteSenderEntity,
  ...messageEntities,
  ...restoredEntities,
];

const MINUTE_MS = 60_000;
const OF_CAMPAIGNS = { root: 'campaigns', column: 'campaign_id' } as const;
/** A retry records which recipients it took; without it they would be taken again. */
const IS_OF_ONE_THAT_STAYS = `EXISTS (SELECT 1 FROM campaigns p
  WHERE p.request_id = r.retry_of AND p.account_id = r.account_id AND p.id < r.id)`;

/** Retention (reference/running#retention). Paused, scheduled or unapproved campaigns have no `completed_at`. */
export const engineTables: readonly TableRule[] = [
  {
    table: 'campaigns',
    rule: 'root',
    over: `r.completed_at < ? AND NOT EXISTS (SELECT 1 FROM campaign_retries t WHERE t.campaign_id = r.id)
      AND NOT ${IS_OF_ONE_THAT_STAYS}`,
  },
  { table: 'campaign_recipients', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'recipient_terms', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'recipient_variables', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'campaign_routes', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'route_changes', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'campaign_counters', rule: 'days', bound: idBound, of: OF_CAMPAIGNS },
  { table: 'provider_messages', rule: 'days', bound: dateBound, of: OF_CAMPAIGNS },
  {
    table: 'route_senders',
    rule: 'days',
    bound: dateBound,
    mostDays: SENDERS_KEPT_DAYS + 1,
    leastDays: SENDERS_KEPT_DAYS + 1,
  },
  {
    table: 'campaign_lanes',
    rule: 'follows',
    ...OF_CAMPAIGNS,
    moments: [
      { column: 'lease_until', longest: 'LANE_LEASE' },
      { column: 'stalled_since', longest: 0 },
      {
        column: 'wake_at',
        notBefore: '(SELECT c.scheduled_at FROM campaigns c WHERE c.id = campaign_lanes.campaign_id)',
      },
    ],
  },
  { table: 'recipient_retries', rule: 'follows', ...OF_CAMPAIGNS, moments: [{ column: 'due_at' }] },
  { table: 'unknown_outcomes', rule: 'follows', ...OF_CAMPAIGNS },
  {
    table: 'campaign_retries',
    rule: 'follows',
    ...OF_CAMPAIGNS,
    moments: [{ column: 'lease_until', longest: MINUTE_MS }],
  },
  { table: 'restored_campaigns', rule: 'follows', ...OF_CAMPAIGNS },
  { table: 'restores', rule: 'kept', why: 'one row a restore' },
  {
    table: 'acceptances_under_way',
    rule: 'work',
    moments: [{ column: 'lease_until', longest: ACCEPTANCE_LEASE_MS }],
    why: 'the acceptance removes it at its end; of one that was broken off it goes with the recipients that are swept',
  },
  {
    table: 'parked_receipts',
    rule: 'work',
    why: 'the receipt sweeper removes what has found its message, and the rest after RECEIPT_TIMEOUT',
  },
];
