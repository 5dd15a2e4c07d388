import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A customer, reseller or member of staff. Usernames compare byte for byte (binary collation). */
@Entity('accounts')
@Index('uq_accounts_username', ['username'], { unique: true })
@Index('ix_accounts_firstname', ['firstname'])
@Index('ix_accounts_lastname', ['lastname'])
@Index('ix_accounts_parent', ['parentId'])
@Index('ix_accounts_user_type', ['userType'])
@Index('ix_accounts_rate_plan', ['ratePlan'])
@Index('ix_accounts_created_by', ['createdBy'])
@Index('ix_accounts_password_set_by', ['passwordSetBy'])
export class AccountEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ type: 'varchar', length: 64 })
  username!: string;

  @Column({ name: 'password_hash', type: 'varchar', length: 100, charset: 'ascii', collation: 'ascii_bin' })
  passwordHash!: string;

  /** whole seconds, rounded up at a change: `iat` of a token has no fraction */
  @Column({ name: 'password_changed_at', type: 'datetime', precision: 3 })
  passwordChangedAt!: Date;

  /** who set the password for the owner (`kernel/maker.ts`); null = the owner, or not known */
  @Column({ name: 'password_set_by', type: 'varchar', length: 128, nullable: true })
  passwordSetBy!: string | null;

  /** when the password was last set for the owner */
  @Column({ name: 'password_set_at', type: 'datetime', precision: 3, nullable: true })
  passwordSetAt!: Date | null;

  @Column({ type: 'varchar', length: 254, nullable: true })
  email!: string | null;

  @Column({ name: 'mobile_no', type: 'varchar', length: 32, nullable: true })
  mobileNo!: string | null;

  @Column({ type: 'varchar', length: 100 })
  firstname!: string;

  @Column({ type: 'varchar', length: 100 })
  lastname!: string;

  @Column({ type: 'varchar', length: 100, nullable: true })
  country!: string | null;

  @Column({ name: 'user_type', type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  userType!: string | null;

  @Column({ name: 'parent_id', type: 'int', unsigned: true, nullable: true })
  parentId!: number | null;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;

  @Column({ name: 'expires_at', type: 'datetime', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'api_base_url', type: 'varchar', length: 255, nullable: true })
  apiBaseUrl!: string | null;

  @Column({ name: 'time_zone', type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  timeZone!: string | null;

  @Column({ name: 'require_token', type: 'boolean' })
  requireToken!: boolean;

  /** the owner's own choice beside `require_token`, which staff set */
  @Column({ name: 'own_require_token', type: 'boolean', default: false })
  ownRequireToken!: boolean;

  @Column({ name: 'protect_reports', type: 'boolean', default: false })
  protectReports!: boolean;

  /** JSON text of the only addresses from which a username in the body counts; null = all */
  @Column({ name: 'body_username_ips', type: 'text', nullable: true })
  bodyUsernameIps!: string | null;

  /** when the owner last chose; null = not yet */
  @Column({ name: 'security_chosen_at', type: 'datetime', precision: 3, nullable: true })
  securityChosenAt!: Date | null;

  /** calls name one of the account's approved sender ids as their caller */
  @Column({ name: 'require_sender', type: 'boolean', default: false })
  requireSender!: boolean;

  @Column({ name: 'refund_failed', type: 'boolean' })
  refundFailed!: boolean;

  @Column({ name: 'public_lookup', type: 'boolean' })
  publicLookup!: boolean;

  /** JSON text of the names of the only routes that it may use; null = all */
  @Column({ name: 'allowed_routes', type: 'text', nullable: true })
  allowedRoutes!: string | null;

  /** `refuse`, `warn` or `off` */
  @Column({
    name: 'number_check',
    type: 'varchar',
    length: 8,
    charset: 'ascii',
    collation: 'ascii_bin',
    default: 'off',
  })
  numberCheck!: string;

  /** name of its rate plan; null = the prices that hold for all */
  @Column({ name: 'rate_plan', type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  ratePlan!: string | null;

  /** JSON text: no `json` columns (reference/running#servers) */
  @Column({ type: 'longtext' })
  permissions!: string;

  /** JSON text of the fields that staff set (reference/accounts#set-by-staff); null = none */
  @Column({
    name: 'set_by_staff',
    type: 'text',
    nullable: true,
    transformer: {
      to: (fields: readonly string[] | undefined) => (fields && fields.length > 0 ? JSON.stringify(fields) : null),
      from: (text: string | null) => (text === null ? [] : (JSON.parse(text) as string[])),
    },
  })
  setByStaff!: readonly string[];

  /** the expiry that staff set: a reseller sets no later one */
  @Column({ name: 'staff_expires_at', type: 'datetime', precision: 3, nullable: true })
  staffExpiresAt!: Date | null;

  /** how often the row was held: written by a transaction that must be alone with the account */
  @Column({ name: 'held', type: 'int', unsigned: true, default: 0 })
  held!: number;

  /** who made it (`kernel/maker.ts`); null = the service itself, or not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}
