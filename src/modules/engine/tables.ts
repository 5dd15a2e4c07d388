import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { dateBound, idBound } from '../../platform/database/index.js';
import type { TableRule } from '../../platform/periodic/index.js';

/** How far back a look-up goes: an answer follows its message soon (reference/suppressions#stop-words). */
export const SENDERS_KEPT_DAYS = 30;

/**
 * A writer renews it with every commit; between two of them a page of recipients is read and judged. The database ends each
 * statement after 25 s.
 */
export const ACCEPTANCE_LEASE_MS = 120_000;

/** The work that is left of campaigns, as `tables.ts`: both tables stay small. */
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

  /** the one route that it leaves over; becomes another of its chain when this one cannot be used (docs/decisions/0034) */
  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** 1 for a campaign of one recipient: such messages have turns of their own, never behind a campaign */
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

  /** of the last claim: its worker knows it again when the answer was lost */
  @Column({ name: 'claim_id', type: 'bigint', nullable: true })
  claimId!: number | null;

  /** since when nothing gets through: the route is down, or only says "too fast"; null = it moves */
  @Column({ name: 'stalled_since', type: 'datetime', precision: 3, nullable: true })
  stalledSince!: Date | null;

  /** how often it was handed to another route of its chain */
  @Column({ name: 'moves', type: 'tinyint', unsigned: true, default: 0 })
  moves!: number;

  /** when what is unsent is settled without its route: the end of its validity, or the moment of a cancel; null = never */
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

  /** how the attempt before ended: it stands when no other is made; null = there was none */
  @Column({ name: 'last_status', type: 'tinyint', unsigned: true, nullable: true })
  lastStatus!: number | null;
}

/** A copy of the database that was taken into use (docs/decisions/0042). */
@Entity('restores')
export class RestoreEntity {
  /** stands as the lost claim of recipients that were not sent to in the copy; made of the clock */
  @PrimaryColumn({ name: 'id', type: 'bigint' })
  id!: number;

  @Column({ name: 'restored_at', type: 'datetime', precision: 3 })
  restoredAt!: Date;
}

/** What a restore has left undecided of a campaign. */
@Entity('restored_campaigns')
export class RestoredCampaignEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'restore_id', type: 'bigint' })
  restoreId!: number;

  /** 1 = paused by the restore before its schedule: nothing of it has left */
  @Column({ name: 'held', type: 'tinyint', unsigned: true, default: 0 })
  held!: number;

  /** when an operator had it sent; null = receipts and the deadline decide */
  @Column({ name: 'resumed_at', type: 'datetime', precision: 3, nullable: true })
  resumedAt!: Date | null;
}

const restoredEntities = [RestoreEntity, RestoredCampaignEntity];

@Index('ix_provider_messages_id', ['routeId', 'providerMessageId'])
@Index('ix_provider_messages_match', ['routeId', 'matchKey'])
@Entity('provider_messages')
export class ProviderMessageEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  @PrimaryColumn({ name: 'item', type: 'smallint', unsigned: true })
  item!: number;

  /** the day on which the carrier took it (UTC): receipts are looked up within the days in which they may come */
  @PrimaryColumn({ name: 'sent_on', type: 'date', default: () => 'utc_date()' })
  sentOn!: string;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'provider_message_id', type: 'varchar', length: 128 })
  providerMessageId!: string;

  /** the id as a value, where it is written otherwise: leading zeros, `0x`, capitals */
  @Column({ name: 'match_key', type: 'varchar', length: 64, ...ASCII, nullable: true })
  matchKey!: string | null;

  @Column({ name: 'items', type: 'smallint', unsigned: true })
  items!: number;

  @Column({ name: 'status', type: 'tinyint', unsigned: true })
  status!: number;

  /** receipts that were judged together with its other items: every judgement writes this, so that no two are made at once */
  @Column({ name: 'receipts', type: 'int', unsigned: true, default: 0 })
  receipts!: number;

  /** when the carrier took it; by the database's own clock, so that no statement names it */
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

  /** the claim whose worker was taken for dead, if that alone is why: should it live, its result decides */
  @Column({ name: 'lost_fence', type: 'bigint', unsigned: true, nullable: true })
  lostFence!: number | null;

  /** the same claim by its id: notes that the worker may have left behind name it (`LostSubmitLogs`) */
  @Column({ name: 'lost_claim', type: 'bigint', nullable: true })
  lostClaim!: number | null;

  /** the lane that the claim held */
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

/** A lane, or a recipient that a carrier refused, went over to another route (docs/decisions/0034). */
@Index('ix_route_changes_seq', ['campaignId', 'seq'])
@Entity('route_changes')
export class RouteChangeEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  /** the lane that it was in */
  @PrimaryColumn({ name: 'lane', type: 'smallint', unsigned: true })
  lane!: number;

  /** the recipient; 0 = all of the lane that had not left */
  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  /** of the lane at that moment: written twice, it is one change */
  @PrimaryColumn({ name: 'fence', type: 'bigint', unsigned: true })
  fence!: number;

  /** the lane that it is in from now on: the same where the lane as a whole changes its route */
  @Column({ name: 'to_lane', type: 'smallint', unsigned: true })
  toLane!: number;

  /** the first recipient of the lane that was not tried yet; of those before it only retries went over */
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

/**
 * Who sent to a number last over a route, by day: whom an answer is meant for where accounts share the route. Cut into days
 * and without another index, because every send of a campaign writes here.
 */
@Entity('route_senders')
export class RouteSenderEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ name: 'number', type: 'varchar', length: 32, ...ASCII })
  number!: string;

  /** a day is exact enough, and a number that is written to again the same day costs no write */
  @PrimaryColumn({ name: 'sent_on', type: 'date' })
  sentOn!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;
}

@Index('uq_campaigns_request', ['requestId'], { unique: true })
@Index('ix_campaigns_account', ['accountId', 'id'])
@Index('ix_campaigns_account_state', ['accountId', 'state', 'channel', 'id'])
@Index('ix_campaigns_overdue', ['overdueCheckAt'])
@Index('ix_campaigns_retry_of', ['retryOf'])
@Index('ix_campaigns_route_state', ['routeId', 'state', 'id'])
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

  @Column({ name: 'broadcast_name', type: 'varchar', length: 255 })
  broadcastName!: string;

  @Column({ name: 'service', type: 'varchar', length: 255 })
  service!: string;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** sender id of all recipients that have none of their own; null = the route's */
  @Column({ name: 'sender', type: 'varchar', length: 32, nullable: true })
  sender!: string | null;

  /** for rules of routes: a retry leaves by it too; null = none was named */
  @Column({ name: 'category', type: 'varchar', length: 32, ...ASCII, nullable: true })
  category!: string | null;

  @Column({ name: 'content', type: 'longtext' })
  content!: string;

  @Column({ name: 'fingerprint', type: 'binary', length: 32, nullable: true })
  fingerprint!: Buffer | null;

  @Column({ name: 'balance', type: 'varchar', length: 32, ...ASCII })
  balance!: string;

  @Column({ name: 'unit_credits', type: 'int', unsigned: true })
  unitCredits!: number;

  /** some of its recipients have terms of their own (`recipient_terms`) */
  @Column({ name: 'own_terms', type: 'tinyint', unsigned: true, default: 0 })
  ownTerms!: number;

  /** in what its recipients differ, as far as sending asks for it: a sum of `OWN_KIND` */
  @Column({ name: 'own_kinds', type: 'tinyint', unsigned: true, default: 0 })
  ownKinds!: number;

  /** for all recipients together */
  @Column({ name: 'charged_credits', type: 'bigint', default: 0 })
  chargedCredits!: number;

  @Column({ name: 'total_rows', type: 'int', unsigned: true })
  totalRows!: number;

  /** lanes of which a recipient is not final; the campaign is over with the last (docs/decisions/0026) */
  @Column({ name: 'open_lanes', type: 'smallint', unsigned: true, default: 0 })
  openLanes!: number;

  @Column({ name: 'refunded_credits', type: 'bigint' })
  refundedCredits!: number;

  @Column({ name: 'retry_of', type: 'varchar', length: 64, ...ASCII, nullable: true })
  retryOf!: string | null;

  /** why staff rejected it; null = it was not, or without a word */
  @Column({ name: 'reason', type: 'varchar', length: 500, nullable: true })
  reason!: string | null;

  /** traceparent of its acceptance; null = no trace is recorded */
  @Column({ name: 'trace_parent', type: 'varchar', length: 55, ...ASCII, nullable: true })
  traceParent!: string | null;

  @Column({ name: 'scheduled_at', type: 'datetime', precision: 3, nullable: true })
  scheduledAt!: Date | null;

  @Column({ name: 'overdue_check_at', type: 'datetime', precision: 3, nullable: true })
  overdueCheckAt!: Date | null;

  /** who sent it (`kernel/maker.ts`); null = not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'sent_at', type: 'datetime', precision: 3, nullable: true })
  sentAt!: Date | null;

  @Column({ name: 'completed_at', type: 'datetime', precision: 3, nullable: true })
  completedAt!: Date | null;
}

/** Counted by lane, so that those who settle lanes of one campaign side by side share no row; readers take the sum. */
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

  /** recipients of the lane that are not final; kept in its row of status 0 */
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

  /** when it was delivered, kept once it is read */
  @Column({ name: 'delivered_at', type: 'datetime', precision: 3, nullable: true })
  deliveredAt!: Date | null;

  /** its credits went back although it is not cancelled */
  @Column({ name: 'refunded', type: 'tinyint', unsigned: true, default: 0 })
  refunded!: number;

  /** `seq` in the campaign that this one retries */
  @Column({ name: 'source_seq', type: 'int', unsigned: true, nullable: true })
  sourceSeq!: number | null;

  /** a send of it may have left without an answer: stays for good, whatever comes later, and is never sent again by a retry */
  @Column({ name: 'outcome_unknown', type: 'tinyint', unsigned: true, default: 0 })
  outcomeUnknown!: number;
}

/** Where a recipient differs from its campaign; only those that differ have a row. */
@Entity('recipient_terms')
export class RecipientTermsEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  /** 0 = the campaign's chain of routes; the others one a further chain, ascending by its ids */
  @Column({ name: 'lane_group', type: 'tinyint', unsigned: true, default: 0 })
  laneGroup!: number;

  @Column({ name: 'credits', type: 'int', unsigned: true, nullable: true })
  credits!: number | null;

  @Column({ name: 'sender', type: 'varchar', length: 32, nullable: true })
  sender!: string | null;

  @Column({ name: 'route_id', type: 'int', unsigned: true, nullable: true })
  routeId!: number | null;
}

/** The variables of a hundred recipients, one behind the other; absent where none of them has any. */
@Entity('recipient_variables')
export class RecipientVariablesEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  /** 0 = recipients 1 to 100 */
  @PrimaryColumn({ name: 'block', type: 'int', unsigned: true })
  block!: number;

  /** names, lengths of the values, values (`blockText`) */
  @Column({ name: 'variables', type: 'longtext' })
  variables!: string;
}

/** The routes of a group of lanes where there is more than one: the others take over from the first. */
@Entity('campaign_routes')
export class CampaignRoutesEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  /** as `recipient_terms.lane_group` */
  @PrimaryColumn({ name: 'lane_group', type: 'tinyint', unsigned: true })
  laneGroup!: number;

  /** separated by commas; the first carries */
  @Column({ name: 'route_ids', type: 'varchar', length: 255, ...ASCII })
  routeIds!: string;
}

/** A campaign whose failed recipients are being sent again: the row that one retry at a time holds, and removes. */
@Entity('campaign_retries')
export class CampaignRetryEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  /** begins at random: rows come and go, and no holder of a former one may write under this one */
  @Column({ name: 'fence', type: 'int', unsigned: true, default: 0 })
  fence!: number;

  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;
}

/** An acceptance whose recipients are written and whose campaign is not (docs/decisions/0025). */
@Index('ix_acceptances_under_way_lease', ['leaseUntil'])
@Entity('acceptances_under_way')
export class AcceptanceUnderWayEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  /** 0 = only its writer has had it */
  @Column({ name: 'fence', type: 'int', unsigned: true })
  fence!: number;

  /** when its writer counts as dead */
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
/** A retry says which recipients of the failed campaign it took: without it they would be taken once more. */
const IS_OF_ONE_THAT_STAYS = `EXISTS (SELECT 1 FROM campaigns p
  WHERE p.request_id = r.retry_of AND p.account_id = r.account_id AND p.id < r.id)`;

/**
 * What becomes of the rows of campaigns (reference/running#retention). `completed_at` stands once every recipient is
 * final, however the campaign ended: what is paused, scheduled, waits for approval or for a receipt has none.
 */
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
