import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { idBound } from '../../platform/database/index.js';
import { SealedColumns } from '../../platform/security/index.js';
import type { TableRule } from '../../platform/periodic/index.js';
import { firstEventIdAt } from './events.js';
import { KEPT_DAYS, LONGEST_DELIVERY_DAYS } from './webhook.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const MOMENT = { type: 'datetime', precision: 3 } as const;

@Entity('webhook_endpoints')
@SealedColumns({ properties: ['secret', 'previousSecret'] })
@Index('uq_webhook_endpoints_slot', ['accountId', 'slot'], { unique: true })
@Index('ix_webhook_endpoints_failing', ['failingSince'])
@Index('ix_webhook_endpoints_due', ['status', 'nextDueAt'])
@Index('ix_webhook_endpoints_listed', ['status', 'id'])
export class WebhookEndpointEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** 1 to 10; the unique key enforces the limit; null = removed */
  @Column({ type: 'tinyint', unsigned: true, nullable: true })
  slot!: number | null;

  @Column({ type: 'varchar', length: 2048 })
  url!: string;

  @Column({ type: 'varchar', length: 1023, ...ASCII })
  events!: string;

  /** a `WebhookStatus`, or `removed` until the sweeper deletes it */
  @Column({ type: 'varchar', length: 8, ...ASCII })
  status!: string;

  @Column({ name: 'disabled_reason', type: 'varchar', length: 255, nullable: true })
  disabledReason!: string | null;

  @Column({ type: 'varchar', length: 255, ...ASCII })
  secret!: string;

  @Column({ name: 'previous_secret', type: 'varchar', length: 255, nullable: true, ...ASCII })
  previousSecret!: string | null;

  /** the previous secret also signs until then */
  @Column({ name: 'previous_until', ...MOMENT, nullable: true })
  previousUntil!: Date | null;

  /** the first failure since the last success */
  @Column({ name: 'failing_since', ...MOMENT, nullable: true })
  failingSince!: Date | null;

  /** the endpoint requested a pause until then */
  @Column({ name: 'held_until', ...MOMENT, nullable: true })
  heldUntil!: Date | null;

  /** counts claims: a worker with an older number has lost the endpoint */
  @Column({ type: 'int', unsigned: true })
  fence!: number;

  @Column({ name: 'lease_until', ...MOMENT, nullable: true })
  leaseUntil!: Date | null;

  /** next poll, at the latest when the first delivery is due; null = nothing is queued (`EndpointMoments`) */
  @Column({ name: 'next_due_at', ...MOMENT, nullable: true })
  nextDueAt!: Date | null;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', ...MOMENT })
  createdAt!: Date;

  @Column({ name: 'updated_at', ...MOMENT })
  updatedAt!: Date;
}

/** An event with at least one subscribed endpoint. */
@Entity('webhook_events')
@Index('ix_webhook_events_recipient', ['campaignId', 'seq'])
export class WebhookEventEntity {
  @PrimaryColumn({ type: 'varchar', length: 40, ...ASCII })
  id!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  type!: string;

  @Column({ type: 'longtext' })
  body!: string;

  @Column({ name: 'campaign_id', type: 'bigint', nullable: true })
  campaignId!: number | null;

  @Column({ type: 'int', unsigned: true, nullable: true })
  seq!: number | null;

  @Column({ name: 'created_at', ...MOMENT })
  createdAt!: Date;
}

/** An event to deliver to an endpoint; deleted after success or the last try. */
@Entity('webhook_deliveries')
@Index('ix_webhook_deliveries_due', ['endpointId', 'dueAt'])
export class WebhookDeliveryEntity {
  @PrimaryColumn({ name: 'endpoint_id', type: 'int', unsigned: true })
  endpointId!: number;

  @PrimaryColumn({ name: 'event_id', type: 'varchar', length: 40, ...ASCII })
  eventId!: string;

  @Column({ name: 'due_at', ...MOMENT })
  dueAt!: Date;

  /** tries of the retry plan; a replay resets them */
  @Column({ type: 'smallint', unsigned: true })
  tries!: number;

  /** all tries, including those before a replay */
  @Column({ type: 'int', unsigned: true })
  attempts!: number;

  /** counts replays: the result of an older try must not end a newer delivery */
  @Column({ type: 'int', unsigned: true })
  revision!: number;
}

@Entity('webhook_attempts')
@Index('ix_webhook_attempts_event', ['eventId'])
export class WebhookAttemptEntity {
  @PrimaryColumn({ name: 'endpoint_id', type: 'int', unsigned: true })
  endpointId!: number;

  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'event_id', type: 'varchar', length: 40, ...ASCII })
  eventId!: string;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  type!: string;

  @Column({ type: 'int', unsigned: true })
  attempt!: number;

  @Column({ name: 'status_code', type: 'smallint', unsigned: true, nullable: true })
  statusCode!: number | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  error!: string | null;

  /** the first KB of the answer */
  @Column({ type: 'varchar', length: 1024 })
  answer!: string;

  @Column({ name: 'duration_ms', type: 'int', unsigned: true })
  durationMs!: number;

  @Column({ name: 'created_at', ...MOMENT })
  createdAt!: Date;

  @Column({ name: 'next_attempt_at', ...MOMENT, nullable: true })
  nextAttemptAt!: Date | null;
}

/** Tries of an endpoint in ten minutes, so that statistics for staff have a bounded cost. */
@Entity('webhook_counters')
@Index('ix_webhook_counters_period', ['period'])
export class WebhookCounterEntity {
  @PrimaryColumn({ name: 'endpoint_id', type: 'int', unsigned: true })
  endpointId!: number;

  @PrimaryColumn({ type: 'datetime', precision: 0 })
  period!: Date;

  @Column({ type: 'int', unsigned: true })
  tries!: number;

  @Column({ type: 'int', unsigned: true })
  failed!: number;

  @Column({ name: 'last_success_at', ...MOMENT, nullable: true })
  lastSuccessAt!: Date | null;
}

export const webhookEntities = [
  WebhookEndpointEntity,
  WebhookEventEntity,
  WebhookDeliveryEntity,
  WebhookAttemptEntity,
  WebhookCounterEntity,
];

// An event outlives its last possible try.
const DAYS = { mostDays: KEPT_DAYS, leastDays: LONGEST_DELIVERY_DAYS };

export const webhookTables: readonly TableRule[] = [
  {
    table: 'webhook_endpoints',
    rule: 'kept',
    why: 'WEBHOOKS_PER_ACCOUNT; the webhook sweeper takes removed ones',
    moments: [
      { column: 'lease_until', longest: 'WEBHOOK_LEASE' },
      { column: 'held_until' },
      { column: 'next_due_at' },
      { column: 'failing_since', longest: 0 },
    ],
  },
  { table: 'webhook_events', rule: 'days', bound: (start) => `'${firstEventIdAt(start)}'`, ...DAYS },
  {
    table: 'webhook_deliveries',
    rule: 'work',
    why: 'gone once it has arrived or is given up',
    moments: [{ column: 'due_at' }],
  },
  { table: 'webhook_counters', rule: 'age', column: 'period', keptMs: KEPT_DAYS * 86_400_000 },
  { table: 'webhook_attempts', rule: 'days', bound: idBound, ...DAYS },
];
