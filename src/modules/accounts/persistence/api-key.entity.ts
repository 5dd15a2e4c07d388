import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * An API key of an account (reference/authentication#api-keys). The key itself is shown once and stands nowhere;
 * revoking deletes the row.
 */
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

  /** the key's beginning, by which its owner tells it from others */
  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  prefix!: string;

  /** SHA-256 in hexadecimal digits */
  @Column({ name: 'key_digest', type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin' })
  keyDigest!: string;

  /** JSON text: the ranges it may be used from; [] = anywhere */
  @Column({ name: 'allowed_ips', type: 'longtext' })
  allowedIps!: string;

  /** written once a minute at most */
  @Column({ name: 'last_used_at', type: 'datetime', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  /** who made it (`kernel/maker.ts`); null = the service itself, or not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}
