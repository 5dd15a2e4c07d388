import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The work that is left of campaigns, as `campaign.entities.ts`: both tables stay small. */
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
