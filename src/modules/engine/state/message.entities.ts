import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What carriers and we call a message by: ids, unknown outcomes, receipts without a message. */
const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

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

  /** the same claim by its id: notes that the worker may have left behind name it (`LostNotes`) */
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

export const messageEntities = [ProviderMessageEntity, UnknownOutcomeEntity, UnmatchedReceiptEntity];
