import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { SealedColumns } from '../../platform/security/index.js';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** A message that a contact wrote to a chat account. */
@Entity('chat_inbound_messages')
@Index('uq_chat_inbound_messages', ['routeId', 'messageId'], { unique: true })
@Index('ix_chat_inbound_messages_account', ['accountId', 'id'])
@Index('ix_chat_inbound_messages_received', ['receivedAt'])
export class ChatInboundMessageEntity {
  @PrimaryGeneratedColumn({ type: 'bigint', unsigned: true })
  id!: number;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** the upstream's id: it repeats callbacks */
  @Column({ name: 'message_id', type: 'varchar', length: 128 })
  messageId!: string;

  /** digits with country code; of a contact that shows no number, the user id */
  @Column({ type: 'varchar', length: 160, ...ASCII })
  contact!: string;

  @Column({ type: 'varchar', length: 32 })
  type!: string;

  /** JSON text, as the upstream wrote it */
  @Column({ type: 'longtext' })
  message!: string;

  @Column({ name: 'sent_at', type: 'datetime', precision: 3 })
  sentAt!: Date;

  @Column({ name: 'received_at', type: 'datetime', precision: 3 })
  receivedAt!: Date;
}

/** Until when free-form messages may go to a contact. */
@Entity('chat_windows')
@Index('ix_chat_windows_open', ['openUntil'])
export class ChatWindowEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** number or user id: a window is opened under each that is known */
  @PrimaryColumn({ type: 'varchar', length: 160, ...ASCII })
  contact!: string;

  @Column({ name: 'open_until', type: 'datetime', precision: 3 })
  openUntil!: Date;
}

/** Which number is whose: user ids of contacts whose number was seen too. */
@Entity('chat_contacts')
@Index('ix_chat_contacts_number', ['routeId', 'number'])
@Index('ix_chat_contacts_updated', ['updatedAt'])
export class ChatContactEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ name: 'user_id', type: 'varchar', length: 160, ...ASCII })
  userId!: string;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  number!: string;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** One of the sessions that the workers together may have with a carrier: held under a lease (docs/decisions/0023). */
@Entity('route_binds')
export class RouteBindEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** from 1 to the route's `binds`; places beyond that are taken no more */
  @PrimaryColumn({ type: 'smallint', unsigned: true })
  place!: number;

  /** counts the holders */
  @Column({ type: 'bigint', unsigned: true, default: 0 })
  fence!: number;

  /** the worker that holds it; null = it was given back */
  @Column({ type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  holder!: string | null;

  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** the session stands */
  @Column({ type: 'tinyint', unsigned: true, default: 0 })
  bound!: number;

  /** how often the carrier has refused it since it last stood */
  @Column({ type: 'smallint', unsigned: true, default: 0 })
  refusals!: number;

  /** why it does not stand */
  @Column({ type: 'varchar', length: 255, nullable: true })
  fault!: string | null;
}

/** Since when a route stands as it does, as all workers together see it. */
@Entity('route_states')
export class RouteStateEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** `up`, `degraded`, `down`, `unknown` */
  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  state!: string;

  @Column({ type: 'datetime', precision: 3 })
  since!: Date;

  /** the last one, also when all is well again */
  @Column({ type: 'varchar', length: 255, nullable: true })
  error!: string | null;

  /** since when that error is the same */
  @Column({ name: 'error_since', type: 'datetime', precision: 3, nullable: true })
  errorSince!: Date | null;

  /** when it was last seen */
  @Column({ name: 'error_at', type: 'datetime', precision: 3, nullable: true })
  errorAt!: Date | null;
}

/** A way to a carrier that an operator set up, or (channel `chat`) the chat account of one customer. */
@Entity('routes')
@SealedColumns('config')
@Index('uq_routes_name', ['name'], { unique: true })
@Index('uq_routes_default', ['defaultFor'], { unique: true })
@Index('uq_routes_account', ['accountId', 'connection'], { unique: true })
@Index('ix_routes_channel', ['channel'])
export class RouteEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ type: 'varchar', length: 64 })
  name!: string;

  @Column({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  @Column({ type: 'varchar', length: 16, ...ASCII })
  driver!: string;

  /** JSON text, sealed as a whole: where a carrier's secrets stand in it is the driver's business */
  @Column({ type: 'longtext' })
  config!: string;

  @Column({ name: 'messages_per_second', type: 'int', unsigned: true, nullable: true })
  messagesPerSecond!: number | null;

  /** sessions with the carrier that all workers have together; null = one a worker */
  @Column({ type: 'smallint', unsigned: true, nullable: true })
  binds!: number | null;

  /** staff without super wrote the config: its address goes through the guard of routes */
  @Column({ type: 'boolean', default: false })
  guarded!: boolean;

  /** the channel whose default this route is; the unique key allows one a channel */
  @Column({ name: 'default_for', type: 'varchar', length: 16, ...ASCII, nullable: true })
  defaultFor!: string | null;

  @Column({ name: 'callback_secret', type: 'varchar', length: 64, ...ASCII })
  callbackSecret!: string;

  /** the secret before the last rotation, taken until that moment */
  @Column({ name: 'former_callback_secret', type: 'varchar', length: 64, ...ASCII, nullable: true })
  formerCallbackSecret!: string | null;

  @Column({ name: 'former_secret_until', type: 'datetime', precision: 3, nullable: true })
  formerSecretUntil!: Date | null;

  /** the engine's: when the route is next free, microseconds since 1970 */
  @Column({ name: 'pace_us', type: 'bigint' })
  paceUs!: number;

  /** whose chat account this is; null for the operator's routes */
  @Column({ name: 'account_id', type: 'int', unsigned: true, nullable: true })
  accountId!: number | null;

  /** which of the account's chat connections: `official`, `branded` */
  @Column({ type: 'varchar', length: 16, ...ASCII, nullable: true })
  connection!: string | null;

  /** nothing leaves over it since then; null = it carries */
  @Column({ name: 'stopped_at', type: 'datetime', precision: 3, nullable: true })
  stoppedAt!: Date | null;

  @Column({ name: 'stopped_by', type: 'varchar', length: 64, nullable: true })
  stoppedBy!: string | null;

  @Column({ name: 'stop_reason', type: 'varchar', length: 255, nullable: true })
  stopReason!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

const DAY_MS = 86_400_000;

/** What becomes of routes, and of what contacts write. */
export const providerTables: readonly TableRule[] = [
  { table: 'routes', rule: 'kept', why: 'staff make and remove them' },
  { table: 'route_binds', rule: 'kept', why: 'as many as routes have binds; they go with their route' },
  { table: 'route_states', rule: 'kept', why: 'one row a route, which goes with it' },
  { table: 'chat_inbound_messages', rule: 'age', column: 'received_at' },
  { table: 'chat_windows', rule: 'age', column: 'open_until', keptMs: DAY_MS },
  { table: 'chat_contacts', rule: 'age', column: 'updated_at' },
];
