import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Entity('suppressions')
@Index('ix_suppressions_route', ['routeId', 'number'])
export class SuppressionEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 160, ...ASCII })
  number!: string;

  @Column({ type: 'varchar', length: 8, ...ASCII })
  source!: string;

  /** the route of the stop word; null for the owner's own entries */
  @Column({ name: 'route_id', type: 'int', unsigned: true, nullable: true })
  routeId!: number | null;

  /** null = everything; else a category of templates */
  @Column({ type: 'varchar', length: 16, nullable: true })
  category!: string | null;

  /** a campaign that still reaches the number: the confirmation of its stop word */
  @Column({ name: 'spared_campaign', type: 'bigint', nullable: true })
  sparedCampaign!: number | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

export const suppressionTables: readonly TableRule[] = [
  {
    table: 'suppressions',
    rule: 'kept',
    why: 'a number that said STOP stays stopped; SUPPRESSIONS_PER_ACCOUNT for the rest',
  },
  {
    table: 'early_stops',
    rule: 'work',
    moments: [{ column: 'said_at', longest: 0 }, { column: 'look_at' }],
    why: 'a worker removes what has found its sender, and the rest after four leases of a lane',
  },
  { table: 'account_keywords', rule: 'kept', why: 'at most 200 an account, which puts and removes them' },
];
