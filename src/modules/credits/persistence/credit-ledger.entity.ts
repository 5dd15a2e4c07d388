import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

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
