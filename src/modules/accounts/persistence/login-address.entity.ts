import { Column, Entity, PrimaryColumn } from 'typeorm';

/** From where an account or an assigned user has logged in. The address itself stands nowhere. */
@Entity('login_addresses')
export class LoginAddressEntity {
  /** id of an account or an assigned user */
  @PrimaryColumn({ name: 'holder_id', type: 'bigint' })
  holderId!: number;

  /** HMAC-SHA-256 of holder and network */
  @PrimaryColumn({ type: 'binary', length: 32 })
  digest!: Buffer;

  @Column({ name: 'seen_at', type: 'datetime', precision: 3 })
  seenAt!: Date;
}
