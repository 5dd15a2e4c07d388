import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { dateBound } from '../../platform/database/index.js';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const COUNT = { type: 'bigint' } as const;

/** Figures per subject and step of time; readers add up the slots. */
abstract class TrafficRow {
  @PrimaryColumn({ type: 'char', length: 1, ...ASCII })
  kind!: string;

  /** route or account; 0 = the channel as a whole */
  @PrimaryColumn({ name: 'subject_id', type: 'int', unsigned: true })
  subjectId!: number;

  @PrimaryColumn({ type: 'datetime' })
  at!: Date;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  /** of the process: reduces lock waits between processes that write the same minute */
  @PrimaryColumn({ type: 'tinyint', unsigned: true })
  slot!: number;

  @Column(COUNT)
  sent!: number;

  @Column(COUNT)
  delivered!: number;

  @Column(COUNT)
  failed!: number;

  @Column(COUNT)
  refused!: number;

  @Column(COUNT)
  expired!: number;

  @Column(COUNT)
  unanswered!: number;

  @Column(COUNT)
  unknown!: number;

  @Column(COUNT)
  receipts!: number;

  @Column(COUNT)
  timed!: number;

  @Column({ name: 'delay_ms', ...COUNT })
  delayMs!: number;

  @Column({ name: 'within_5s', ...COUNT })
  within5s!: number;

  @Column({ name: 'within_30s', ...COUNT })
  within30s!: number;

  @Column({ name: 'within_2m', ...COUNT })
  within2m!: number;

  @Column({ name: 'within_10m', ...COUNT })
  within10m!: number;

  @Column(COUNT)
  charged!: number;

  @Column(COUNT)
  refunded!: number;

  @Column({ name: 'receipt_at', type: 'datetime', precision: 3, nullable: true })
  receiptAt!: Date | null;
}

@Entity('traffic_minutes')
@Index('ix_traffic_minutes_at', ['kind', 'at'])
export class TrafficMinuteEntity extends TrafficRow {}

@Entity('traffic_hours')
@Index('ix_traffic_hours_at', ['kind', 'at'])
export class TrafficHourEntity extends TrafficRow {}

export const trafficEntities = [TrafficMinuteEntity, TrafficHourEntity];

/** Minutes serve charts of a day and alarms; hours serve the comparison with last year. */
const MINUTE_DAYS = { mostDays: 2, leastDays: 2 };
const HOUR_DAYS = { mostDays: 396, leastDays: 396 };

export const statisticsTables: readonly TableRule[] = [
  { table: 'traffic_minutes', rule: 'days', bound: dateBound, ...MINUTE_DAYS },
  { table: 'traffic_hours', rule: 'days', bound: dateBound, ...HOUR_DAYS },
];
