import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';
import { LEASE_SECONDS, REFS_KEPT_HOURS } from './idempotent-request.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** Without an outcome, the request is still running. */
@Entity('idempotency_keys')
@Index('ix_idempotency_keys_created', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  endpoint!: string;

  @PrimaryColumn({ name: 'idempotency_key', type: 'varchar', length: 255 })
  key!: string;

  @Column({ type: 'binary', length: 32 })
  digest!: Buffer;

  /** of the process and moment working on it; a takeover writes a new one */
  @Column({ type: 'char', length: 36, ...ASCII })
  token!: string;

  /** when an unfinished request may be taken over; null = never, because it may have sent */
  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  @Column({ type: 'longtext', nullable: true })
  outcome!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

export const idempotencyTables: readonly TableRule[] = [
  {
    table: 'idempotency_keys',
    rule: 'age',
    column: 'created_at',
    keptMs: REFS_KEPT_HOURS * 3_600_000,
    moments: [{ column: 'lease_until', longest: LEASE_SECONDS * 1_000 }],
  },
];
