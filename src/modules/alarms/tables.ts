import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { firstIdAt } from '../../kernel/ids.js';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const MOMENT = { type: 'datetime', precision: 3 } as const;

/** `waiting` = seen, may pass; `active` = raised; `past` = cleared. */
export type AlarmState = 'waiting' | 'active' | 'past';

@Entity('alarms')
@Index('uq_alarms_open', ['openKey'], { unique: true })
@Index('ix_alarms_state', ['state', 'id'])
export class AlarmEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  kind!: string;

  @Column({ name: 'subject_type', type: 'varchar', length: 16, nullable: true, ...ASCII })
  subjectType!: string | null;

  @Column({ type: 'varchar', length: 128 })
  subject!: string;

  /** kind and subject while it is not past: a subject has one open alarm of a kind */
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

  @Column({ name: 'acknowledged_by', type: 'varchar', length: 64, nullable: true })
  acknowledgedBy!: string | null;
}

const DAY_MS = 86_400_000;
const KEPT_MS = 396 * DAY_MS;

export const alarmTables: readonly TableRule[] = [
  {
    ...{ table: 'alarms', rule: 'age', column: 'id', valueAt: firstIdAt },
    ...{ onlyIf: "state = 'past' AND cleared_at < ?", keptMs: KEPT_MS },
  },
  { table: 'disk_shortages', rule: 'age', column: 'seen_at', keptMs: DAY_MS },
  { table: 'last_backup', rule: 'kept', why: 'one row' },
];
