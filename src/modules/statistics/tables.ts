import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { dateBound } from '../../platform/database/index.js';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const COUNT = { type: 'bigint' } as const;

/** Figures of one route, account or channel in one step of time; readers take the sum over the slots. */
abstract class TrafficRow {
  /** a `SubjectKind` */
  @PrimaryColumn({ type: 'char', length: 1, ...ASCII })
  kind!: string;

  /** of the route or account; 0 = the channel as a whole */
  @PrimaryColumn({ name: 'subject_id', type: 'int', unsigned: true })
  subjectId!: number;

  /** the beginning of the step (UTC) */
  @PrimaryColumn({ type: 'datetime' })
  at!: Date;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  /** of the process that counted: many that write one minute of a route wait for each other less */
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

  /** of the newest receipt that was counted */
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

/** Minutes are for charts of a day and for alarms; hours for the same month of last year. */
const MINUTE_DAYS = { mostDays: 2, leastDays: 2 };
const HOUR_DAYS = { mostDays: 396, leastDays: 396 };

/** What becomes of stored counters. */
export const statisticsTables: readonly TableRule[] = [
  { table: 'traffic_minutes', rule: 'days', bound: dateBound, ...MINUTE_DAYS },
  { table: 'traffic_hours', rule: 'days', bound: dateBound, ...HOUR_DAYS },
];
