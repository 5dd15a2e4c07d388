import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { idBound } from '../../platform/database/index.js';
import { SealedColumns } from '../../platform/security/index.js';
import type { TableRule } from '../../platform/periodic/index.js';
import { firstEventIdAt } from './events.js';
import { KEPT_DAYS, LONGEST_DELIVERY_DAYS } from './webhook.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;
const MOMENT = { type: 'datetime', precision: 3 } as const;

/** An address to which a customer has events delivered. */
@Entity('webhook_endpoints')
@SealedColumns('secret', 'previousSecret')
@Index('uq_webhook_endpoints_slot', ['accountId', 'slot'], { unique: true })
@Index('ix_webhook_endpoints_failing', ['failingSince'])
@Index('ix_webhook_endpoints_due', ['status', 'nextDueAt'])
@Index('ix_webhook_endpoints_listed', ['status', 'id'])
export class WebhookEndpointEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** 1 to 10: the unique key keeps an account from having more; null = removed */
  @Column({ type: 'tinyint', unsigned: true, nullable: true })
  slot!: number | null;

  @Column({ type: 'varchar', length: 2048 })
  url!: string;

  /** types, separated by commas */
  @Column({ type: 'varchar', length: 255, ...ASCII })
  events!: string;

  /** a `WebhookStatus`, or `removed` until the sweeper has taken its rows */
  @Column({ type: 'varchar', length: 8, ...ASCII })
  status!: string;

  @Column({ name: 'disabled_reason', type: 'varchar', length: 255, nullable: true })
  disabledReason!: string | null;

  @Column({ type: 'varchar', length: 255, ...ASCII })
  secret!: string;

  @Column({ name: 'previous_secret', type: 'varchar', length: 255, nullable: true, ...ASCII })
  previousSecret!: string | null;

  /** until when the previous secret signs too */
  @Column({ name: 'previous_until', ...MOMENT, nullable: true })
  previousUntil!: Date | null;

  /** the first failure since the last success */
  @Column({ name: 'failing_since', ...MOMENT, nullable: true })
  failingSince!: Date | null;

  /** the endpoint asked for a pause until then */
  @Column({ name: 'held_until', ...MOMENT, nullable: true })
  heldUntil!: Date | null;

  /** counts the turns of workers: a worker with an older number has lost the endpoint */
  @Column({ type: 'int', unsigned: true })
  fence!: number;

  @Column({ name: 'lease_until', ...MOMENT, nullable: true })
  leaseUntil!: Date | null;

  /** when dispatchers look at it next: not after its first delivery is due; null = nothing waits (`EndpointMoments`) */
  @Column({ name: 'next_due_at', ...MOMENT, nullable: true })
  nextDueAt!: Date | null;

  /** who made it (`kernel/maker.ts`); null = the service itself, or not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', ...MOMENT })
  createdAt!: Date;

  @Column({ name: 'updated_at', ...MOMENT })
  updatedAt!: Date;
}

/** An event that at least one endpoint subscribed to when it happened. */
@Entity('webhook_events')
@Index('ix_webhook_events_recipient', ['campaignId', 'seq'])
export class WebhookEventEntity {
  /** the `webhook-id`; ascending in time */
  @PrimaryColumn({ type: 'varchar', length: 40, ...ASCII })
  id!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  type!: string;

  /** JSON text, as it goes out */
  @Column({ type: 'longtext' })
  body!: string;

  @Column({ name: 'campaign_id', type: 'bigint', nullable: true })
  campaignId!: number | null;

  @Column({ type: 'int', unsigned: true, nullable: true })
  seq!: number | null;

  @Column({ name: 'created_at', ...MOMENT })
  createdAt!: Date;
}

/** An event on its way to an endpoint; gone once it has arrived or is given up. */
@Entity('webhook_deliveries')
@Index('ix_webhook_deliveries_due', ['endpointId', 'dueAt'])
export class WebhookDeliveryEntity {
  @PrimaryColumn({ name: 'endpoint_id', type: 'int', unsigned: true })
  endpointId!: number;

  @PrimaryColumn({ name: 'event_id', type: 'varchar', length: 40, ...ASCII })
  eventId!: string;

  @Column({ name: 'due_at', ...MOMENT })
  dueAt!: Date;

  /** of the retry plan; a replay begins again */
  @Column({ type: 'smallint', unsigned: true })
  tries!: number;

  /** all that were made, those before a replay too */
  @Column({ type: 'int', unsigned: true })
  attempts!: number;

  /** counts replays: the result of an older one does not end a newer */
  @Column({ type: 'int', unsigned: true })
  revision!: number;
}

/** One try, for the customer's log. */
@Entity('webhook_attempts')
@Index('ix_webhook_attempts_event', ['eventId'])
export class WebhookAttemptEntity {
  @PrimaryColumn({ name: 'endpoint_id', type: 'int', unsigned: true })
  endpointId!: number;

  /** ascending in time */
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

  /** the first KB of what the endpoint answered */
  @Column({ type: 'varchar', length: 1024 })
  answer!: string;

  @Column({ name: 'duration_ms', type: 'int', unsigned: true })
  durationMs!: number;

  @Column({ name: 'created_at', ...MOMENT })
  createdAt!: Date;

  @Column({ name: 'next_attempt_at', ...MOMENT, nullable: true })
  nextAttemptAt!: Date | null;
}

/** Tries of an endpoint in ten minutes: what staff see of it costs the same however many tries there were. */
@Entity('webhook_counters')
@Index('ix_webhook_counters_period', ['period'])
export class WebhookCounterEntity {
  @PrimaryColumn({ name: 'endpoint_id', type: 'int', unsigned: true })
  endpointId!: number;

  /** when the ten minutes begin */
  @PrimaryColumn({ type: 'datetime', precision: 0 })
  period!: Date;

  @Column({ type: 'int', unsigned: true })
  tries!: number;

  @Column({ type: 'int', unsigned: true })
  failed!: number;

  /** the last one of them that was delivered */
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

/** An event stays at least until it may have been tried for the last time. */
const DAYS = { mostDays: KEPT_DAYS, leastDays: LONGEST_DELIVERY_DAYS };

/** What becomes of events to customers. */
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
