import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

@Entity('credit_balances')
export class CreditBalanceEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  @Column({ type: 'bigint' })
  available!: number;

  /** credits; null = no alert */
  @Column({ name: 'alert_below', type: 'bigint', nullable: true })
  alertBelow!: number | null;
}

/** Append-only. Only `LedgerClosings` deletes entries, after their month is closed. */
@Entity('credit_ledger')
@Index('ix_credit_ledger_account', ['accountId', 'balance', 'id'])
@Index('ix_credit_ledger_request', ['requestId'])
export class CreditLedgerEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  /** signed change in credits */
  @Column({ type: 'bigint' })
  amount!: number;

  @Column({ type: 'bigint' })
  available!: number;

  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  kind!: string;

  @Column({ name: 'request_id', type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  requestId!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  note!: string | null;

  /** `kernel/maker.ts`; null = the service itself, or unknown */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** A finished month: the entries with after_id < id <= last_id. */
@Entity('credit_months')
export class CreditMonthEntity {
  @PrimaryColumn({ type: 'date' })
  month!: string;

  @Column({ name: 'after_id', type: 'bigint' })
  afterId!: number;

  @Column({ name: 'last_id', type: 'bigint' })
  lastId!: number;

  /** last entry included in the closings; equals `last_id` once the month is closed */
  @Column({ name: 'closed_id', type: 'bigint' })
  closedId!: number;

  /** 1 = entries deleted */
  @Column({ type: 'tinyint', unsigned: true, default: 0 })
  removed!: number;
}

/** The balance at the end of a month with movements. */
@Entity('credit_closings')
export class CreditClosingEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, charset: 'ascii', collation: 'ascii_bin' })
  balance!: string;

  @PrimaryColumn({ type: 'date' })
  month!: string;

  @Column({ type: 'int', unsigned: true })
  entries!: number;

  @Column({ type: 'bigint' })
  moved!: number;

  /** the previous closing plus the movement */
  /** debits; 0 in months whose entries were gone when usage counting began */
  @Column({ type: 'bigint' })
  charged!: number;

  @Column({ type: 'bigint' })
  refunded!: number;

  @Column({ type: 'bigint' })
  closing!: number;
}

/** Granted minus taken back, in credits: the limit of a reseller's take-back. */
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

/** Charges and refunds by UTC day of the ledger entry, written under the balance's lock: always equal to the ledger. */
@Entity('usage_counters')
@Index('ix_usage_counters_day', ['day'])
export class UsageCounterEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'date' })
  day!: string;

  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  balance!: string;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  /** '' = unknown */
  @PrimaryColumn({ type: 'varchar', length: 8, ...ASCII })
  prefix!: string;

  /** '' = the route's own */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  sender!: string;

  /** without free recipients */
  @Column({ name: 'charged_recipients', type: 'bigint' })
  chargedRecipients!: number;

  @Column({ name: 'charged_credits', type: 'bigint' })
  chargedCredits!: number;

  @Column({ name: 'refunded_recipients', type: 'bigint' })
  refundedRecipients!: number;

  @Column({ name: 'refunded_credits', type: 'bigint' })
  refundedCredits!: number;
}

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
