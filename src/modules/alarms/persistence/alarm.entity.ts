import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const MOMENT = { type: 'datetime', precision: 3 } as const;

/** `waiting` has been seen and may pass; `active` is raised; `past` is cleared. */
export type AlarmState = 'waiting' | 'active' | 'past';

/** Something that went wrong, from when it was first seen until it was gone. */
@Entity('alarms')
@Index('uq_alarms_open', ['openKey'], { unique: true })
@Index('ix_alarms_state', ['state', 'id'])
export class AlarmEntity {
  /** ascending in time */
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  /** an `AlarmKind` */
  @Column({ type: 'varchar', length: 32, ...ASCII })
  kind!: string;

  @Column({ name: 'subject_type', type: 'varchar', length: 16, nullable: true, ...ASCII })
  subjectType!: string | null;

  /** '' = the installation */
  @Column({ type: 'varchar', length: 128 })
  subject!: string;

  /** kind and subject while it is not past: of one kind a subject has one alarm at a time */
  @Column({ name: 'open_key', type: 'varchar', length: 192, nullable: true })
  openKey!: string | null;

  @Column({ type: 'varchar', length: 8, ...ASCII })
  state!: AlarmState;

  @Column({ type: 'varchar', length: 255 })
  message!: string;

  @Column({ type: 'double', nullable: true })
  value!: number | null;

  @Column({ type: 'double', nullable: true })
  threshold!: number | null;

  @Column({ name: 'first_seen_at', ...MOMENT })
  firstSeenAt!: Date;

  @Column({ name: 'raised_at', ...MOMENT, nullable: true })
  raisedAt!: Date | null;

  @Column({ name: 'last_seen_at', ...MOMENT })
  lastSeenAt!: Date;

  @Column({ name: 'cleared_at', ...MOMENT, nullable: true })
  clearedAt!: Date | null;

  @Column({ name: 'acknowledged_at', ...MOMENT, nullable: true })
  acknowledgedAt!: Date | null;

  /** username of who has seen it */
  @Column({ name: 'acknowledged_by', type: 'varchar', length: 64, nullable: true })
  acknowledgedBy!: string | null;
}
