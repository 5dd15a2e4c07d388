import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const MOMENT = { type: 'datetime', precision: 3 } as const;

/** A prefix to which an account does not send for a while; a later freeze of the same prefix renews its row. */
@Entity('account_freezes')
@Index('uq_account_freezes_prefix', ['accountId', 'prefix'], { unique: true })
@Index('ix_account_freezes_account', ['accountId', 'id'])
@Index('ix_account_freezes_until', ['until'])
export class AccountFreezeEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** numbers without their last four digits */
  @Column({ type: 'varchar', length: 16, ...ASCII })
  prefix!: string;

  @Column({ type: 'varchar', length: 16, ...ASCII })
  reason!: string;

  /** JSON figures; no whole number */
  @Column({ type: 'text' })
  evidence!: string;

  /** how often its rules were broken */
  @Column({ type: 'int', unsigned: true })
  times!: number;

  @Column({ name: 'frozen_at', ...MOMENT })
  frozenAt!: Date;

  @Column({ name: 'until_at', ...MOMENT })
  until!: Date;

  @Column({ name: 'released_at', ...MOMENT, nullable: true })
  releasedAt!: Date | null;

  /** `kernel/maker.ts` */
  @Column({ name: 'released_by', type: 'varchar', length: 128, nullable: true })
  releasedBy!: string | null;
}

const KEPT_MS = 365 * 86_400_000;

export const guardTables: readonly TableRule[] = [
  { table: 'account_freezes', rule: 'age', column: 'until_at', keptMs: KEPT_MS },
];
