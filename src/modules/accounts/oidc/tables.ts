import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../../platform/periodic/index.js';

/** An account of staff that an identity provider vouches for. */
@Entity('oidc_logins')
@Index('ix_oidc_logins_account', ['accountId'])
export class OidcLoginEntity {
  /** SHA-256 of issuer and subject */
  @PrimaryColumn({ type: 'binary', length: 32 })
  digest!: Buffer;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** the provider withdrew the role, which closed the account */
  @Column({ name: 'withdrawn_at', type: 'datetime', precision: 3, nullable: true })
  withdrawnAt!: Date | null;

  /** of the last login whose token was not taken yet */
  @Column({ type: 'char', length: 36, nullable: true })
  ticket!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

export const oidcTables: readonly TableRule[] = [
  { table: 'oidc_logins', rule: 'kept', why: 'one of each member of staff who came by the identity provider' },
];
