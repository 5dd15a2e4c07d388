import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CampaignLaneEntity, RecipientRetryEntity } from './lane.entities.js';
import { restoredEntities } from '../restored/restored.entities.js';
import { messageEntities } from './message.entities.js';
import { RouteChangeEntity } from './route-change.entity.js';
import { RouteSenderEntity } from './route-sender.entity.js';

/** The engine's tables: one typed description, held against the migrations. Hot paths write set-based SQL. */
const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

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
