import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A token whose bearer has logged out. The token itself stands nowhere. */
@Entity('revoked_tokens')
@Index('ix_revoked_tokens_expires', ['expiresAt'])
export class RevokedTokenEntity {
  /** SHA-256 */
  @PrimaryColumn({ type: 'binary', length: 32 })
  digest!: Buffer;

  /** when the token would have ended: from then on the row says nothing */
  @Column({ name: 'expires_at', type: 'datetime', precision: 3 })
  expiresAt!: Date;
}
