import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { SealedColumns } from '../../../platform/security/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

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
