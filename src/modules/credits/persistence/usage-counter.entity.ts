import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/**
 * What an account was charged and got back on a day (UTC, that of the ledger entry), by what it was for. Written beside the
 * ledger entry, while the balance is locked: the sums are the ledger's at every commit.
 */
@Entity('usage_counters')
@Index('ix_usage_counters_day', ['day'])
export class UsageCounterEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** YYYY-MM-DD */
  @PrimaryColumn({ type: 'date' })
  day!: string;

  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  balance!: string;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  /** calling code of the number; '' = none is known */
  @PrimaryColumn({ type: 'varchar', length: 8, ...ASCII })
  prefix!: string;

  /** sender id; '' = the route's own */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  sender!: string;

  /** recipients that cost something */
  @Column({ name: 'charged_recipients', type: 'bigint' })
  chargedRecipients!: number;

  @Column({ name: 'charged_credits', type: 'bigint' })
  chargedCredits!: number;

  @Column({ name: 'refunded_recipients', type: 'bigint' })
  refundedRecipients!: number;

  @Column({ name: 'refunded_credits', type: 'bigint' })
  refundedCredits!: number;
}
