import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idBound } from '../../../platform/database/index.js';
import type { TableRule } from '../../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** What the provider bills for a template message, as its statuses say. */
@Entity('chat_prices')
@Index('ix_chat_prices_differs', ['differsAt', 'accountId'])
export class ChatPriceEntity {
  @PrimaryColumn({ name: 'campaign_id', type: 'bigint' })
  campaignId!: number;

  @PrimaryColumn({ type: 'int', unsigned: true })
  seq!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  category!: string;

  @Column({ type: 'tinyint', unsigned: true, nullable: true })
  billable!: number | null;

  @Column({ type: 'varchar', length: 32, ...ASCII, nullable: true })
  model!: string | null;

  @Column({ type: 'varchar', length: 32, ...ASCII, nullable: true })
  type!: string | null;

  /** since when the category is not the one that the account paid for; null = it is */
  @Column({ name: 'differs_at', type: 'datetime', precision: 3, nullable: true })
  differsAt!: Date | null;

  @Column({ name: 'priced_at', type: 'datetime', precision: 3 })
  pricedAt!: Date;
}

export const templateMessageTables: readonly TableRule[] = [
  { table: 'chat_prices', rule: 'days', bound: idBound, of: { root: 'campaigns', column: 'campaign_id' } },
];
