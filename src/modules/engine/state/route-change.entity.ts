import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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
