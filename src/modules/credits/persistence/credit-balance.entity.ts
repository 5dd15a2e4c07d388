import { Column, Entity, PrimaryColumn } from 'typeorm';

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
