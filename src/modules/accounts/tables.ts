import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';
import type { LinkPurpose } from './domain/one-time-links.js';
import type { PersonRole } from './domain/rights.js';
import { factorTables } from './factors/tables.js';
import { oidcTables } from './oidc/tables.js';
import { sessionTables } from './sessions/tables.js';

/** Customers, resellers and staff; usernames compare byte for byte (binary collation). */
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

  /** whole seconds, rounded up: a token's `iat` has no fraction */
  @Column({ name: 'password_changed_at', type: 'datetime', precision: 3 })
  passwordChangedAt!: Date;

  /** `kernel/maker.ts`; null = the owner, or unknown */
  @Column({ name: 'password_set_by', type: 'varchar', length: 128, nullable: true })
  passwordSetBy!: string | null;

  @Column({ name: 'second_factor', type: 'boolean', default: false })
  secondFactor!: boolean;

  @Column({ name: 'proof_due', type: 'boolean', default: false })
  proofDue!: boolean;

  /** last change by someone other than the owner */
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

  /** the owner's choice; staff set `require_token` */
  @Column({ name: 'own_require_token', type: 'boolean', default: false })
  ownRequireToken!: boolean;

  @Column({ name: 'protect_reports', type: 'boolean', default: false })
  protectReports!: boolean;

  /** JSON ranges; null = all */
  @Column({ name: 'body_username_ips', type: 'text', nullable: true })
  bodyUsernameIps!: string | null;

  @Column({ name: 'security_chosen_at', type: 'datetime', precision: 3, nullable: true })
  securityChosenAt!: Date | null;

  @Column({ name: 'require_sender', type: 'boolean', default: false })
  requireSender!: boolean;

  @Column({ name: 'refund_failed', type: 'boolean' })
  refundFailed!: boolean;

  @Column({ name: 'refund_refused', type: 'boolean', default: true })
  refundRefused!: boolean;

  @Column({ name: 'public_lookup', type: 'boolean' })
  publicLookup!: boolean;

  /** JSON route names; null = all */
  @Column({ name: 'allowed_routes', type: 'text', nullable: true })
  allowedRoutes!: string | null;

  @Column({
    name: 'number_check',
    type: 'varchar',
    length: 8,
    charset: 'ascii',
    collation: 'ascii_bin',
    default: 'off',
  })
  numberCheck!: string;

  /** ISO 3166; null = not known */
  @Column({
    name: 'country_code',
    type: 'char',
    length: 2,
    charset: 'ascii',
    collation: 'ascii_bin',
    nullable: true,
  })
  countryCode!: string | null;

  /** false = guessed, or not known */
  @Column({ name: 'country_chosen', type: 'boolean', default: false })
  countryChosen!: boolean;

  /** the specified endpoints read numbers as the own ones do */
  @Column({ name: 'strict_numbers', type: 'boolean', default: false })
  strictNumbers!: boolean;

  /** null = standard prices */
  @Column({ name: 'rate_plan', type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  ratePlan!: string | null;

  /** JSON as text: no `json` columns (reference/running#servers) */
  @Column({ type: 'longtext' })
  permissions!: string;

  /** JSON `GuardTerms` (reference/guard#terms); null = nothing is checked */
  @Column({ type: 'text', nullable: true })
  guard!: string | null;

  /** JSON API names (reference/accounts#set-by-staff); null = none */
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

  /** upper limit for a reseller's expiry */
  @Column({ name: 'staff_expires_at', type: 'datetime', precision: 3, nullable: true })
  staffExpiresAt!: Date | null;

  /** incremented to lock the row over all cluster nodes */
  @Column({ name: 'held', type: 'int', unsigned: true, default: 0 })
  held!: number;

  /** `kernel/maker.ts`; null = the service itself, or unknown */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** A taken name. The primary key prevents races between processes. */
@Entity('login_identities')
@Index('ix_login_identities_account', ['accountId'])
@Index('ix_login_identities_assigned_user', ['assignedUserId'])
export class LoginIdentityEntity {
  @PrimaryColumn({ type: 'varchar', length: 8, charset: 'ascii', collation: 'ascii_bin' })
  kind!: string;

  @PrimaryColumn({ type: 'varchar', length: 254 })
  value!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** null = the account's own name */
  @Column({ name: 'assigned_user_id', type: 'bigint', nullable: true })
  assignedUserId!: number | null;
}

/** Networks of earlier logins, without the address itself. */
@Entity('login_addresses')
export class LoginAddressEntity {
  @PrimaryColumn({ name: 'holder_id', type: 'bigint' })
  holderId!: number;

  /** HMAC-SHA-256 of holder and network */
  @PrimaryColumn({ type: 'binary', length: 32 })
  digest!: Buffer;

  @Column({ name: 'seen_at', type: 'datetime', precision: 3 })
  seenAt!: Date;
}

@Entity('teams')
@Index('uq_teams_name', ['accountId', 'name'], { unique: true })
export class TeamEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 100 })
  name!: string;

  @Column({ name: 'is_default', type: 'boolean' })
  isDefault!: boolean;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** A person under an account; the names are in `login_identities`. */
@Entity('assigned_users')
@Index('ix_assigned_users_account', ['accountId', 'id'])
export class AssignedUserEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 64 })
  username!: string;

  @Column({ name: 'password_hash', type: 'varchar', length: 100, charset: 'ascii', collation: 'ascii_bin' })
  passwordHash!: string;

  /** whole seconds, rounded up: a token's `iat` has no fraction */
  @Column({ name: 'password_changed_at', type: 'datetime', precision: 3 })
  passwordChangedAt!: Date;

  /** last change by the account; null = before this column existed */
  @Column({ name: 'password_set_at', type: 'datetime', precision: 3, nullable: true })
  passwordSetAt!: Date | null;

  /** who knows the password beside the person; null = none */
  @Column({ name: 'password_set_by', type: 'varchar', length: 128, nullable: true })
  passwordSetBy!: string | null;

  @Column({ type: 'varchar', length: 254, nullable: true })
  email!: string | null;

  @Column({ type: 'varchar', length: 100 })
  firstname!: string;

  @Column({ type: 'varchar', length: 100 })
  lastname!: string;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;

  @Column({ name: 'second_factor', type: 'boolean', default: false })
  secondFactor!: boolean;

  @Column({ type: 'varchar', length: 16, default: 'manager' })
  role!: PersonRole;

  /** has not joined yet: no password */
  @Column({ name: 'is_invited', type: 'boolean', default: false })
  isInvited!: boolean;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** Links by which a login gets a password, without their tokens; the latest of each login and purpose. */
@Entity('one_time_links')
@Index('uq_one_time_links_digest', ['digest'], { unique: true })
@Index('ix_one_time_links_expires', ['expiresAt'])
@Index('ix_one_time_links_created_by', ['createdBy'])
export class OneTimeLinkEntity {
  /** of the person, else of the account */
  @PrimaryColumn({ name: 'subject_id', type: 'bigint' })
  subjectId!: number;

  @PrimaryColumn({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  purpose!: LinkPurpose;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** SHA-256 of the token */
  @Column({ type: 'binary', length: 32 })
  digest!: Buffer;

  /** `kernel/maker.ts`; null = the login itself asked for it */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'datetime', precision: 3 })
  expiresAt!: Date;
}

/** API keys (reference/authentication#api-keys), without the key itself; revoking deletes the row. */
@Entity('api_keys')
@Index('uq_api_keys_digest', ['keyDigest'], { unique: true })
@Index('ix_api_keys_account', ['accountId', 'id'])
export class ApiKeyEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 100, nullable: true })
  name!: string | null;

  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  prefix!: string;

  /** SHA-256, hex */
  @Column({ name: 'key_digest', type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin' })
  keyDigest!: string;

  /** JSON ranges; [] = anywhere */
  @Column({ name: 'allowed_ips', type: 'longtext' })
  allowedIps!: string;

  /** what it sends never leaves and costs nothing */
  @Column({ name: 'is_test', type: 'tinyint', unsigned: true, default: 0 })
  isTest!: number;

  /** comma-separated; null = every right */
  @Column({ type: 'varchar', length: 255, nullable: true, charset: 'ascii', collation: 'ascii_bin' })
  scopes!: string | null;

  @Column({ name: 'expires_at', type: 'datetime', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** requests in 24 hours; null = no limit */
  @Column({ name: 'max_per_day', type: 'int', unsigned: true, nullable: true })
  maxPerDay!: number | null;

  @Column({ name: 'last_used_at', type: 'datetime', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** Tokens revoked by logout, without the token itself. */
@Entity('revoked_tokens')
@Index('ix_revoked_tokens_expires', ['expiresAt'])
export class RevokedTokenEntity {
  @PrimaryColumn({ type: 'binary', length: 32 })
  digest!: Buffer;

  /** expiry of the token; the row is useless afterwards */
  @Column({ name: 'expires_at', type: 'datetime', precision: 3 })
  expiresAt!: Date;
}

/** Append-only (reference/admin#logs). */
@Entity('audit_log')
@Index('ix_audit_log_actor', ['actor', 'id'])
@Index('ix_audit_log_account', ['actorId', 'id'])
@Index('ix_audit_log_concerned', ['accountId', 'id'])
export class AuditEntryEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: number;

  /** null = the service itself */
  @Column({ name: 'actor_id', type: 'int', unsigned: true, nullable: true })
  actorId!: number | null;

  /** the account concerned, if not the actor; null = none */
  @Column({ name: 'account_id', type: 'int', unsigned: true, nullable: true })
  accountId!: number | null;

  @Column({ type: 'varchar', length: 64 })
  actor!: string;

  /** null = the account itself acted */
  @Column({ name: 'assigned_user', type: 'varchar', length: 64, nullable: true })
  assignedUser!: string | null;

  @Column({ name: 'api_key', type: 'varchar', length: 16, nullable: true, charset: 'ascii', collation: 'ascii_bin' })
  apiKey!: string | null;

  @Column({ type: 'varchar', length: 64 })
  action!: string;

  @Column({ type: 'varchar', length: 128 })
  subject!: string;

  @Column({ type: 'longtext' })
  details!: string;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** Counts of logins and failures by name and address, kept for 90 days. */
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

  /** an unknown name as given; '' if it could be a password */
  @Column({ type: 'varchar', length: 254 })
  username!: string;

  /** null = no account */
  @Column({ name: 'account_id', type: 'int', unsigned: true, nullable: true })
  accountId!: number | null;

  @Column({ type: 'varchar', length: 45, charset: 'ascii', collation: 'ascii_bin' })
  ip!: string;

  @Column({ type: 'int', unsigned: true })
  times!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** A claimed or released name whose directory entry is unsettled. */
@Entity('name_claims')
@Index('ix_name_claims_created', ['createdAt'])
@Index('ix_name_claims_name', ['kind', 'value'])
export class NameClaimEntity {
  @PrimaryColumn({ type: 'bigint' })
  claim!: number;

  @PrimaryColumn({ type: 'varchar', length: 8, charset: 'ascii', collation: 'ascii_bin' })
  kind!: string;

  @Column({ type: 'varchar', length: 254 })
  value!: string;

  /** number of sweeps; above 0, no transaction can use the claim */
  @Column({ type: 'int', unsigned: true })
  looks!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

const OF_ACCOUNT = 'part of an account, which is closed and never removed';

export const accountTables: readonly TableRule[] = [
  ...sessionTables,
  ...factorTables,
  ...oidcTables,
  {
    table: 'accounts',
    rule: 'kept',
    why: 'its ledger, its campaigns and the audit log name it; it is closed, never removed',
  },
  { table: 'login_identities', rule: 'kept', why: OF_ACCOUNT },
  {
    table: 'name_claims',
    rule: 'work',
    why: 'taken by the transaction that takes the names, else by the sweeper after a minute',
  },
  { table: 'teams', rule: 'kept', why: OF_ACCOUNT },
  { table: 'assigned_users', rule: 'kept', why: 'USERS_PER_ACCOUNT; the owner removes them' },
  { table: 'one_time_links', rule: 'work', why: 'the latest of each login; a new one removes those that ended' },
  { table: 'api_keys', rule: 'kept', why: 'API_KEYS_PER_ACCOUNT' },
  { table: 'login_addresses', rule: 'kept', why: 'the latest 20 of each login' },
  { table: 'revoked_tokens', rule: 'work', why: 'each logout removes those of tokens that have expired' },
  { table: 'security_log', rule: 'work', why: 'its writer removes what is older than 90 days, or beyond a million' },
  {
    table: 'audit_log',
    rule: 'kept',
    why: 'evidence of what staff did, to money too: it names no recipient, and grows with staff, not with messages',
  },
];
