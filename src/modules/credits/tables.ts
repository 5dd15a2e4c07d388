import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

/** What an account has of one balance, in credits. Never negative: the debit's condition and a CHECK see to it. */
@Entity('credit_balances')
export class CreditBalanceEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  @Column({ type: 'bigint' })
  available!: number;

  /** below which its account wants to be told; null = never */
  @Column({ name: 'alert_below', type: 'bigint', nullable: true })
  alertBelow!: number | null;
}

/**
 * One movement of one balance. Append-only: no statement updates an entry, and one only removes any: those of months that
 * stand in a closing (`LedgerClosings`).
 */
@Entity('credit_ledger')
@Index('ix_credit_ledger_account', ['accountId', 'balance', 'id'])
export class CreditLedgerEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  /** signed: what the balance gained */
  @Column({ type: 'bigint' })
  amount!: number;

  /** the balance after this entry */
  @Column({ type: 'bigint' })
  available!: number;

  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  kind!: string;

  @Column({ name: 'request_id', type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  requestId!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  note!: string | null;

  /** who made it (`kernel/maker.ts`); null = the service itself, or not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

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

/** What a reseller has granted to a client of one balance and not taken back, in credits: as much it may take back. */
@Entity('reseller_grants')
export class ResellerGrantEntity {
  @PrimaryColumn({ name: 'reseller_id', type: 'int', unsigned: true })
  resellerId!: number;

  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  @Column({ type: 'bigint' })
  amount!: number;
}

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

/** What becomes of money. */
export const creditTables: readonly TableRule[] = [
  { table: 'credit_balances', rule: 'kept', why: 'six of each account' },
  { table: 'reseller_grants', rule: 'kept', why: 'six of each client of a reseller' },
  {
    table: 'credit_ledger',
    rule: 'work',
    why: 'the ledger closer removes months that are over for RETENTION_DAYS, once they stand in a closing',
  },
  {
    table: 'usage_counters',
    rule: 'kept',
    why: 'what a day was charged, by channel, calling code and sender: some rows of an account and a day on which it sent',
  },
  { table: 'credit_months', rule: 'kept', why: 'one a month' },
  {
    table: 'credit_closings',
    rule: 'kept',
    why: 'one of a balance and a month in which it moved: the sum of what has gone',
  },
];
