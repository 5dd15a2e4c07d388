import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Logins, good and bad: who, from where, how often at that moment. Kept for 90 days. */
@Entity('security_log')
@Index('ix_security_log_username', ['username', 'id'])
@Index('ix_security_log_ip', ['ip', 'id'])
@Index('ix_security_log_account', ['accountId', 'id'])
@Index('ix_security_log_created', ['createdAt'])
export class SecurityEntryEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  event!: string;

  /** of the account or assigned user; an unknown name as it was given, '' when it looks like none */
  @Column({ type: 'varchar', length: 254 })
  username!: string;

  /** whose login it was, or was meant to be; null = of no account */
  @Column({ name: 'account_id', type: 'int', unsigned: true, nullable: true })
  accountId!: number | null;

  @Column({ type: 'varchar', length: 45, charset: 'ascii', collation: 'ascii_bin' })
  ip!: string;

  @Column({ type: 'int', unsigned: true })
  times!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}
