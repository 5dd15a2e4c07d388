import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { firstIdAt } from '../../../kernel/ids.js';
import type { TableRule } from '../../../platform/periodic/index.js';
import { SealedColumns } from '../../../platform/security/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const MOMENT = { type: 'datetime', precision: 3 } as const;

/** A second factor of a login: an authenticator app (`totp`) or a passkey (`passkey`). */
@Entity('login_factors')
@SealedColumns({ properties: ['secret'] })
@Index('ix_login_factors_holder', ['holderId', 'id'])
@Index('uq_login_factors_credential', ['credentialDigest'], { unique: true })
export class LoginFactorEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** id of the person, else of the account */
  @Column({ name: 'holder_id', type: 'bigint' })
  holderId!: number;

  @Column({ type: 'varchar', length: 8, ...ASCII })
  kind!: 'totp' | 'passkey';

  @Column({ type: 'varchar', length: 64 })
  name!: string;

  /** sealed; of an app */
  @Column({ type: 'varchar', length: 255, nullable: true, ...ASCII })
  secret!: string | null;

  /** the last step (30 s) whose code was taken; of an app */
  @Column({ name: 'last_step', type: 'bigint', nullable: true })
  lastStep!: number | null;

  /** base64url; of a passkey */
  @Column({ name: 'credential_id', type: 'varchar', length: 1400, nullable: true, ...ASCII })
  credentialId!: string | null;

  /** SHA-256 of `credential_id` */
  @Column({ name: 'credential_digest', type: 'binary', length: 32, nullable: true })
  credentialDigest!: Buffer | null;

  /** COSE; of a passkey */
  @Column({ name: 'public_key', type: 'blob', nullable: true })
  publicKey!: Buffer | null;

  /** of a passkey's signatures; 0 where it does not count */
  @Column({ type: 'int', unsigned: true, default: 0 })
  counter!: number;

  /** comma-separated, hints for browsers */
  @Column({ type: 'varchar', length: 128, nullable: true, ...ASCII })
  transports!: string | null;

  /** null = enrolment has begun */
  @Column({ name: 'confirmed_at', ...MOMENT, nullable: true })
  confirmedAt!: Date | null;

  @Column({ name: 'last_used_at', ...MOMENT, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'created_at', ...MOMENT })
  createdAt!: Date;
}

/** Recovery codes, without the code itself; a new set replaces the former. */
@Entity('recovery_codes')
export class RecoveryCodeEntity {
  @PrimaryColumn({ name: 'holder_id', type: 'bigint' })
  holderId!: number;

  /** SHA-256 of the code's 80 bits */
  @PrimaryColumn({ type: 'binary', length: 32 })
  digest!: Buffer;

  @Column({ name: 'used_at', ...MOMENT, nullable: true })
  usedAt!: Date | null;
}

/** A challenge for a passkey, good once. */
@Entity('login_challenges')
@Index('uq_login_challenges_digest', ['digest'], { unique: true })
export class LoginChallengeEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  /** SHA-256 of the challenge */
  @Column({ type: 'binary', length: 32 })
  digest!: Buffer;

  @Column({ name: 'holder_id', type: 'bigint' })
  holderId!: number;

  @Column({ type: 'varchar', length: 8, ...ASCII })
  purpose!: string;

  /** the session that asked; 0 = a login */
  @Column({ name: 'session_id', type: 'bigint' })
  sessionId!: number;

  @Column({ name: 'expires_at', ...MOMENT })
  expiresAt!: Date;

  @Column({ name: 'used_at', ...MOMENT, nullable: true })
  usedAt!: Date | null;
}

const HOUR_MS = 3_600_000;

export const factorTables: readonly TableRule[] = [
  { table: 'login_factors', rule: 'kept', why: 'at most 21 of each login, which removes them' },
  { table: 'recovery_codes', rule: 'kept', why: '10 of each login' },
  { table: 'login_challenges', rule: 'age', column: 'id', valueAt: firstIdAt, keptMs: HOUR_MS },
];
