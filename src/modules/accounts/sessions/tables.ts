import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { firstIdAt } from '../../../kernel/ids.js';
import type { TableRule } from '../../../platform/periodic/index.js';

/** A login of an account or of a person under it; its token names the row (reference/authentication#sessions). */
@Entity('login_sessions')
@Index('ix_login_sessions_holder', ['holderId', 'id'])
@Index('ix_login_sessions_account', ['accountId', 'id'])
export class LoginSessionEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** id of the person, else of the account */
  @Column({ name: 'holder_id', type: 'bigint' })
  holderId!: number;

  @Column({ type: 'varchar', length: 64 })
  device!: string;

  @Column({ type: 'varchar', length: 45, charset: 'ascii', collation: 'ascii_bin' })
  address!: string;

  /** accurate to a minute */
  @Column({ name: 'last_used_at', type: 'datetime', precision: 3 })
  lastUsedAt!: Date;

  /** when password or factor were shown last */
  @Column({ name: 'confirmed_at', type: 'datetime', precision: 3, nullable: true })
  confirmedAt!: Date | null;

  /** an identity provider vouched for the login */
  @Column({ name: 'by_provider', type: 'boolean', default: false })
  byProvider!: boolean;

  /** end of the token */
  @Column({ name: 'expires_at', type: 'datetime', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'ended_at', type: 'datetime', precision: 3, nullable: true })
  endedAt!: Date | null;

  /** null = not ended, or expired */
  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  reason!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

const KEPT_MS = 37 * 86_400_000;

/** 7 days of the token, and 30 days in which a login from a known network is recognised. */
export const sessionTables: readonly TableRule[] = [
  { table: 'login_sessions', rule: 'age', column: 'id', valueAt: firstIdAt, keptMs: KEPT_MS },
];
