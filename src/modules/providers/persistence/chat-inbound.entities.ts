import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** A message that a contact wrote to a chat account. */
@Entity('chat_inbound_messages')
@Index('uq_chat_inbound_messages', ['routeId', 'messageId'], { unique: true })
@Index('ix_chat_inbound_messages_account', ['accountId', 'id'])
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

  @Column({ type: 'varchar', length: 32, ...ASCII })
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
export class ChatWindowEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  contact!: string;

  @Column({ name: 'open_until', type: 'datetime', precision: 3 })
  openUntil!: Date;
}
