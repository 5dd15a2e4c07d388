import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';
import { KEPT_HOURS, LEASE_SECONDS } from './idempotent-request.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** A request with an `Idempotency-Key`: running while it has no outcome, answered once it has one. */
@Entity('idempotency_keys')
@Index('ix_idempotency_keys_created', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  endpoint!: string;

  @PrimaryColumn({ name: 'idempotency_key', type: 'varchar', length: 255 })
  key!: string;

  /** SHA-256 of the request */
  @Column({ type: 'binary', length: 32 })
  digest!: Buffer;

  /** of the process and moment that work on it: the request that takes it over writes another */
  @Column({ type: 'char', length: 36, ...ASCII })
  token!: string;

  /** when a request that has not ended may be taken over; null = never, because it may have left */
  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** JSON text of what the answer is made of */
  @Column({ type: 'longtext', nullable: true })
  outcome!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** What becomes of idempotency keys (reference/idempotency#idempotency-key). */
export const idempotencyTables: readonly TableRule[] = [
  {
    table: 'idempotency_keys',
    rule: 'age',
    column: 'created_at',
    keptMs: KEPT_HOURS * 3_600_000,
    moments: [{ column: 'lease_until', longest: LEASE_SECONDS * 1_000 }],
  },
];
