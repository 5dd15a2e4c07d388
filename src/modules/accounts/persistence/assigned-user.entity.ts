import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A person under an account. The names are taken in `login_identities`, as those of accounts are. */
@Entity('assigned_users')
@Index('ix_assigned_users_account', ['accountId', 'id'])
export class AssignedUserEntity {
  /** made by `newId` */
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 64 })
  username!: string;

  @Column({ name: 'password_hash', type: 'varchar', length: 100, charset: 'ascii', collation: 'ascii_bin' })
  passwordHash!: string;

  /** whole seconds, rounded up at a change: `iat` of a token has no fraction */
  @Column({ name: 'password_changed_at', type: 'datetime', precision: 3 })
  passwordChangedAt!: Date;

  /** when the account last set the person's password; null = before this was kept */
  @Column({ name: 'password_set_at', type: 'datetime', precision: 3, nullable: true })
  passwordSetAt!: Date | null;

  @Column({ type: 'varchar', length: 254, nullable: true })
  email!: string | null;

  @Column({ type: 'varchar', length: 100 })
  firstname!: string;

  @Column({ type: 'varchar', length: 100 })
  lastname!: string;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;

  /** who made it (`kernel/maker.ts`); null = the service itself, or not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}
