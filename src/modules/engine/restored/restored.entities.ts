import { Column, Entity, PrimaryColumn } from 'typeorm';

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

export const restoredEntities = [RestoreEntity, RestoredCampaignEntity];
