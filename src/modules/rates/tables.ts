import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Entity('rate_plans')
@Index('uq_rate_plans_name', ['name'], { unique: true })
export class RatePlanEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ type: 'varchar', length: 64, ...ASCII })
  name!: string;

  @Column({ type: 'int', unsigned: true })
  revision!: number;

  /** incremented for each account that gets the plan, which locks it against removal */
  @Column({ type: 'int', unsigned: true })
  given!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

@Entity('rate_plan_rows')
export class RatePlanRowEntity {
  @PrimaryColumn({ name: 'plan_id', type: 'int', unsigned: true })
  planId!: number;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  @PrimaryColumn({ type: 'varchar', length: 15, ...ASCII })
  prefix!: string;

  @Column({ name: 'credits_per_segment', type: 'int', unsigned: true })
  creditsPerSegment!: number;
}

export const rateTables: readonly TableRule[] = [
  { table: 'rate_plans', rule: 'kept', why: 'staff make them, and remove them' },
  { table: 'rate_plan_rows', rule: 'kept', why: '10,000 a plan at most' },
];
