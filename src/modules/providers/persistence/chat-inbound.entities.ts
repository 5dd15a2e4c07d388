import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

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
