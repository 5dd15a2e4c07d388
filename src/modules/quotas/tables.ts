import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** One row for each kind of thing that an account may have only so many of; the transaction that adds one writes it. */
@Entity('account_quotas')
export class AccountQuotaEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  kind!: string;

  /** how many there are, of a kind that is too long to be counted each time; 0 of the others */
  @Column({ type: 'int', unsigned: true })
  used!: number;

  /** one more with each addition, so that the row is always written and two database nodes cannot both let one in */
  @Column({ type: 'bigint', unsigned: true })
  additions!: number;
}

/** Bytes that an account stores. The transaction that writes or removes what is counted writes this row too. */
@Entity('account_storage')
export class AccountStorageEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'bigint', unsigned: true })
  bytes!: number;
}

/** What becomes of the counts of what an account may have. */
export const quotaTables: readonly TableRule[] = [
  { table: 'account_quotas', rule: 'kept', why: 'a few of each account' },
  { table: 'account_storage', rule: 'kept', why: 'one row an account' },
];
