import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CampaignLaneEntity, RecipientRetryEntity } from './lane.entities.js';

/** The engine's tables: one typed description, held against the migrations. Hot paths write set-based SQL. */
const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Index('uq_campaigns_request', ['requestId'], { unique: true })
@Index('ix_campaigns_account', ['accountId', 'id'])
@Index('ix_campaigns_overdue', ['overdueCheckAt'])
@Index('ix_campaigns_retry_of', ['retryOf'])
@Index('ix_campaigns_route', ['routeId'])
@Index('ix_campaigns_state', ['state', 'id'])
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

  /** for all recipients together */
  @Column({ name: 'charged_credits', type: 'bigint', default: 0 })
  chargedCredits!: number;

  @Column({ name: 'total_rows', type: 'int', unsigned: true })
  totalRows!: number;

  @Column({ name: 'unsettled', type: 'int', unsigned: true })
  unsettled!: number;

  @Column({ name: 'refunded_credits', type: 'bigint' })
  refundedCredits!: number;

  @Column({ name: 'retry_of', type: 'varchar', length: 64, ...ASCII, nullable: true })
  retryOf!: string | null;

  @Column({ name: 'scheduled_at', type: 'datetime', precision: 3, nullable: true })
  scheduledAt!: Date | null;

  @Column({ name: 'overdue_check_at', type: 'datetime', precision: 3, nullable: true })
  overdueCheckAt!: Date | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'sent_at', type: 'datetime', precision: 3, nullable: true })
  sentAt!: Date | null;

  @Column({ name: 'completed_at', type: 'datetime', precision: 3, nullable: true })
  completedAt!: Date | null;
}

@Entity('campaign_counters')
export class CampaignCounterEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'status', type: 'tinyint', unsigned: true })
  status!: number;

  @Column({ name: 'recipients', type: 'int' })
  recipients!: number;
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

  /** 0 = the campaign's route; the others one a further route, ascending by its id */
  @Column({ name: 'lane_group', type: 'tinyint', unsigned: true, default: 0 })
  laneGroup!: number;

  @Column({ name: 'credits', type: 'int', unsigned: true, nullable: true })
  credits!: number | null;

  /** JSON object of texts */
  @Column({ name: 'variables', type: 'longtext', nullable: true })
  variables!: string | null;

  @Column({ name: 'sender', type: 'varchar', length: 32, nullable: true })
  sender!: string | null;

  @Column({ name: 'route_id', type: 'int', unsigned: true, nullable: true })
  routeId!: number | null;
}

@Index('uq_provider_messages', ['routeId', 'providerMessageId'], { unique: true })
@Index('ix_provider_messages_match', ['routeId', 'matchKey'])
@Entity('provider_messages')
export class ProviderMessageEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ name: 'seq', type: 'int', unsigned: true })
  seq!: number;

  @PrimaryColumn({ name: 'item', type: 'smallint', unsigned: true })
  item!: number;

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
  @Column({ name: 'lost_fence', type: 'int', unsigned: true, nullable: true })
  lostFence!: number | null;
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

/** A campaign whose failed recipients are being sent again: the row that one retry at a time holds, and removes. */
@Entity('campaign_retries')
export class CampaignRetryEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;
}

export const campaignEntities = [
  CampaignEntity,
  CampaignCounterEntity,
  CampaignLaneEntity,
  CampaignRecipientEntity,
  CampaignRetryEntity,
  RecipientTermsEntity,
  RecipientRetryEntity,
  ProviderMessageEntity,
  UnknownOutcomeEntity,
  UnmatchedReceiptEntity,
];
