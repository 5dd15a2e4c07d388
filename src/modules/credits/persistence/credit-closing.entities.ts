import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A month of the ledger that is over: its entries are those above `after_id`, up to `last_id`. */
@Entity('credit_months')
export class CreditMonthEntity {
  /** its first day */
  @PrimaryColumn({ type: 'date' })
  month!: string;

  @Column({ name: 'after_id', type: 'bigint' })
  afterId!: number;

  @Column({ name: 'last_id', type: 'bigint' })
  lastId!: number;

  /** up to here its entries stand in the closings; `last_id` when the month is closed */
  @Column({ name: 'closed_id', type: 'bigint' })
  closedId!: number;

  /** 1 = its entries are no longer kept */
  @Column({ type: 'tinyint', unsigned: true, default: 0 })
  removed!: number;
}

/** What a balance stood at when a month was over in which it moved. */
@Entity('credit_closings')
export class CreditClosingEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  /** the first day of the month */
  @PrimaryColumn({ type: 'date' })
  month!: string;

  /** how many entries the month has */
  @Column({ type: 'int', unsigned: true })
  entries!: number;

  /** their sum, in credits */
  @Column({ type: 'bigint' })
  moved!: number;

  /** the closing before it, and what moved */
  /** of them debits; 0 in months that had no entries any more when usage began to be counted */
  @Column({ type: 'bigint' })
  charged!: number;

  /** of them refunds */
  @Column({ type: 'bigint' })
  refunded!: number;

  @Column({ type: 'bigint' })
  closing!: number;
}
