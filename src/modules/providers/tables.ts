import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { SealedColumns } from '../../platform/security/index.js';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** A message from a contact to a chat account. */
@Entity('chat_inbound_messages')
@Index('uq_chat_inbound_messages', ['routeId', 'messageId'], { unique: true })
@Index('ix_chat_inbound_messages_account', ['accountId', 'id'])
@Index('ix_chat_inbound_messages_contact', ['accountId', 'contact', 'id'])
@Index('ix_chat_inbound_messages_received', ['receivedAt'])
export class ChatInboundMessageEntity {
  @PrimaryGeneratedColumn({ type: 'bigint', unsigned: true })
  id!: number;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** the provider's id: it repeats callbacks */
  @Column({ name: 'message_id', type: 'varchar', length: 128 })
  messageId!: string;

  /** digits with country code, or the user id of a contact without a number */
  @Column({ type: 'varchar', length: 160, ...ASCII })
  contact!: string;

  @Column({ type: 'varchar', length: 32 })
  type!: string;

  @Column({ type: 'longtext' })
  message!: string;

  @Column({ name: 'sent_at', type: 'datetime', precision: 3 })
  sentAt!: Date;

  @Column({ name: 'received_at', type: 'datetime', precision: 3 })
  receivedAt!: Date;
}

/** The end of a contact's 24-hour window. */
@Entity('chat_windows')
@Index('ix_chat_windows_open', ['openUntil'])
export class ChatWindowEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** number or user id: a window opens under each that is known */
  @PrimaryColumn({ type: 'varchar', length: 160, ...ASCII })
  contact!: string;

  @Column({ name: 'open_until', type: 'datetime', precision: 3 })
  openUntil!: Date;
}

/** User ids of contacts whose number is known too. */
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

/** A number that was sent to, and the one under which the provider knows it where that differs. */
@Entity('chat_number_pairs')
@Index('ix_chat_number_pairs_number', ['routeId', 'providerNumber'])
@Index('ix_chat_number_pairs_updated', ['updatedAt'])
export class ChatNumberPairEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  input!: string;

  @Column({ name: 'provider_number', type: 'varchar', length: 32, ...ASCII })
  providerNumber!: string;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

/** A part of a provider's callback that the service does not act on, for staff. */
@Entity('chat_notices')
@Index('uq_chat_notices_digest', ['routeId', 'digest'], { unique: true })
@Index('ix_chat_notices_route', ['routeId', 'id'])
@Index('ix_chat_notices_kind', ['kind', 'id'])
@Index('ix_chat_notices_received', ['receivedAt'])
export class ChatNoticeEntity {
  @PrimaryGeneratedColumn({ type: 'bigint', unsigned: true })
  id!: number;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 64, ...ASCII })
  kind!: string;

  /** of kind and body: the provider repeats callbacks */
  @Column({ type: 'binary', length: 16 })
  digest!: Buffer;

  /** JSON, cut after 16 KB */
  @Column({ type: 'mediumtext' })
  body!: string;

  /** before the cut */
  @Column({ type: 'int', unsigned: true })
  bytes!: number;

  @Column({ name: 'received_at', type: 'datetime', precision: 3 })
  receivedAt!: Date;
}

/** How many parts of a kind came for a chat account, those that are no longer stored included. */
@Entity('chat_notice_counts')
@Index('ix_chat_notice_counts_last', ['lastAt'])
export class ChatNoticeCountEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ type: 'varchar', length: 64, ...ASCII })
  kind!: string;

  @Column({ type: 'bigint', unsigned: true })
  count!: number;

  @Column({ name: 'last_at', type: 'datetime', precision: 3 })
  lastAt!: Date;
}

/** A bind slot: one session of the workers with a carrier, held under a lease (docs/decisions/0023). */
@Entity('route_binds')
export class RouteBindEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** from 1; slots above the route's `binds` are not taken */
  @PrimaryColumn({ type: 'smallint', unsigned: true })
  place!: number;

  @Column({ type: 'bigint', unsigned: true, default: 0 })
  fence!: number;

  @Column({ type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  holder!: string | null;

  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  @Column({ type: 'tinyint', unsigned: true, default: 0 })
  bound!: number;

  @Column({ type: 'smallint', unsigned: true, default: 0 })
  refusals!: number;

  @Column({ type: 'varchar', length: 255, nullable: true })
  fault!: string | null;
}

/** A route's state as seen by all workers, and its start. */
@Entity('route_states')
export class RouteStateEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  state!: string;

  @Column({ type: 'datetime', precision: 3 })
  since!: Date;

  @Column({ type: 'varchar', length: 255, nullable: true })
  error!: string | null;

  @Column({ name: 'error_since', type: 'datetime', precision: 3, nullable: true })
  errorSince!: Date | null;

  @Column({ name: 'error_at', type: 'datetime', precision: 3, nullable: true })
  errorAt!: Date | null;
}

/** An operator's route, or (channel `chat`) the chat account of one customer. */
@Entity('routes')
@SealedColumns({ properties: ['config'], by: 'name' })
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

  @Column({ type: 'longtext' })
  config!: string;

  @Column({ name: 'messages_per_second', type: 'int', unsigned: true, nullable: true })
  messagesPerSecond!: number | null;

  /** sessions of all workers together; null = one per worker */
  @Column({ type: 'smallint', unsigned: true, nullable: true })
  binds!: number | null;

  @Column({ type: 'boolean', default: false })
  guarded!: boolean;

  /** the channel that has this route as default; unique */
  @Column({ name: 'default_for', type: 'varchar', length: 16, ...ASCII, nullable: true })
  defaultFor!: string | null;

  @Column({ name: 'callback_secret', type: 'varchar', length: 64, ...ASCII })
  callbackSecret!: string;

  /** valid until `former_secret_until` */
  @Column({ name: 'former_callback_secret', type: 'varchar', length: 64, ...ASCII, nullable: true })
  formerCallbackSecret!: string | null;

  @Column({ name: 'former_secret_until', type: 'datetime', precision: 3, nullable: true })
  formerSecretUntil!: Date | null;

  /** the engine's: when the route is next free, microseconds since 1970 */
  @Column({ name: 'pace_us', type: 'bigint' })
  paceUs!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true, nullable: true })
  accountId!: number | null;

  @Column({ type: 'varchar', length: 16, ...ASCII, nullable: true })
  connection!: string | null;

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
const NOTICES_KEPT_MS = 90 * DAY_MS;

export const providerTables: readonly TableRule[] = [
  { table: 'routes', rule: 'kept', why: 'staff make and remove them' },
  { table: 'route_binds', rule: 'kept', why: 'as many as routes have binds; they go with their route' },
  { table: 'route_states', rule: 'kept', why: 'one row a route, which goes with it' },
  { table: 'chat_inbound_messages', rule: 'age', column: 'received_at' },
  { table: 'chat_windows', rule: 'age', column: 'open_until', keptMs: DAY_MS },
  { table: 'chat_contacts', rule: 'age', column: 'updated_at' },
  { table: 'chat_number_pairs', rule: 'age', column: 'updated_at' },
  { table: 'chat_notices', rule: 'age', column: 'received_at', keptMs: NOTICES_KEPT_MS },
  { table: 'chat_notice_counts', rule: 'age', column: 'last_at', keptMs: NOTICES_KEPT_MS },
];
