import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { firstIdAt } from '../../kernel/ids.js';
import type { TableRule } from '../../platform/periodic/index.js';
import { isFinal, RecipientStatus } from '../engine/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** A session message: stored before it leaves, so that nothing is sent without a record. */
@Entity('session_messages')
@Index('uq_session_messages_provider', ['routeId', 'providerMessageId'], { unique: true })
@Index('ix_session_messages_account', ['accountId', 'isTest', 'id'])
@Index('ix_session_messages_account_status', ['accountId', 'status', 'scheduled', 'isTest', 'id'])
@Index('ix_session_messages_due', ['dueAt'])
@Index('ix_session_messages_receiver', ['receiver', 'id', 'accountId'])
@Index('ix_session_messages_status', ['status', 'updatedAt'])
export class SessionMessageEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** sent with a test key: it never leaves */
  @Column({ name: 'is_test', type: 'tinyint', unsigned: true, default: 0 })
  isTest!: number;

  @Column({ type: 'varchar', length: 100, nullable: true })
  label!: string | null;

  @Column({ type: 'varchar', length: 160, ...ASCII })
  receiver!: string;

  /** JSON text of what was sent */
  @Column({ type: 'longtext' })
  content!: string;

  @Column({ type: 'tinyint', unsigned: true })
  status!: number;

  @Column({ name: 'provider_message_id', type: 'varchar', length: 128, nullable: true })
  providerMessageId!: string | null;

  @Column({ name: 'error_code', type: 'int', nullable: true })
  errorCode!: number | null;

  @Column({ name: 'error_message', type: 'varchar', length: 500, nullable: true })
  errorMessage!: string | null;

  /** JSON of what the provider bills, as its statuses say */
  @Column({ type: 'varchar', length: 255, nullable: true })
  pricing!: string | null;

  /** when a scheduled message leaves, or its claim ends; null after the intent to send, and for all others */
  @Column({ name: 'due_at', type: 'datetime', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** 1 = the answer to its acceptance carried our id, because the provider had none for it yet */
  @Column({ type: 'tinyint', unsigned: true, default: 0 })
  scheduled!: number;

  /** of the last worker that took the scheduled message; intent and outcome count only under this claim */
  @Column({ type: 'char', length: 36, ...ASCII, nullable: true })
  claim!: string | null;

  @Column({ name: 'scheduled_at', type: 'datetime', precision: 3, nullable: true })
  scheduledAt!: Date | null;

  /** when the intent to send was recorded; null when it has certainly not left */
  @Column({ name: 'sent_at', type: 'datetime', precision: 3, nullable: true })
  sentAt!: Date | null;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  /** JSON of what the sender said about it; null = not sent as a message */
  @Column({ type: 'text', nullable: true })
  tags!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

const FINAL = Object.values(RecipientStatus).filter(
  (status): status is RecipientStatus => typeof status === 'number' && isFinal(status),
);

export const sessionMessageTables: readonly TableRule[] = [
  {
    table: 'session_messages',
    rule: 'age',
    column: 'id',
    valueAt: firstIdAt,
    moments: [{ column: 'due_at', notBefore: 'scheduled_at' }],
    onlyIf: `status IN (${FINAL.join(', ')}) AND updated_at < ?`,
  },
];
