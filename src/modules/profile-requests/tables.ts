import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Entity('profile_requests')
@Index('uq_profile_requests_pending', ['pendingDigest'], { unique: true })
@Index('ix_profile_requests_account', ['accountId', 'id'])
@Index('ix_profile_requests_status', ['status', 'id'])
export class ProfileRequestEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ name: 'verified_name', type: 'varchar', length: 255 })
  verifiedName!: string;

  @Column({ type: 'varchar', length: 32, nullable: true })
  number!: string | null;

  @Column({ name: 'number_for_otp', type: 'varchar', length: 32 })
  numberForOtp!: string;

  @Column({ type: 'varchar', length: 8, ...ASCII })
  channel!: string;

  @Column({ type: 'varchar', length: 10, ...ASCII })
  status!: string;

  /** SHA-256 of account and content while pending, else null: the unique key permits one of identical requests */
  @Column({ name: 'pending_digest', type: 'binary', length: 32, nullable: true })
  pendingDigest!: Buffer | null;

  @Column({ type: 'int', unsigned: true, default: 1 })
  revision!: number;

  @Column({ type: 'varchar', length: 500, nullable: true })
  reason!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

export const profileRequestTables: readonly TableRule[] = [
  { table: 'profile_requests', rule: 'kept', why: 'PROFILE_REQUESTS_PER_ACCOUNT' },
];
