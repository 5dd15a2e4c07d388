import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A name that is taken. The primary key is what makes registration race-safe across processes. */
@Entity('login_identities')
@Index('ix_login_identities_account', ['accountId'])
@Index('ix_login_identities_assigned_user', ['assignedUserId'])
export class LoginIdentityEntity {
  @PrimaryColumn({ type: 'varchar', length: 8, charset: 'ascii', collation: 'ascii_bin' })
  kind!: string;

  /** username and e-mail in lower case, mobile number as digits */
  @PrimaryColumn({ type: 'varchar', length: 254 })
  value!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** null: the name is the account's own */
  @Column({ name: 'assigned_user_id', type: 'bigint', nullable: true })
  assignedUserId!: number | null;
}
