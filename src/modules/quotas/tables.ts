import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Entity('account_quotas')
export class AccountQuotaEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  kind!: string;

  /** number of a kind that is too expensive to count; 0 for others */
  @Column({ type: 'int', unsigned: true })
  used!: number;

  /** incremented with each addition: the row is always written, so two database nodes cannot both admit one */
  @Column({ type: 'bigint', unsigned: true })
  additions!: number;
}

@Entity('account_storage')
export class AccountStorageEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'bigint', unsigned: true })
  bytes!: number;
}

export const quotaTables: readonly TableRule[] = [
  { table: 'account_quotas', rule: 'kept', why: 'a few of each account' },
  { table: 'account_storage', rule: 'kept', why: 'one row an account' },
];
