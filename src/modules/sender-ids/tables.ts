import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

@Entity('sender_ids')
@Index('uq_sender_ids_sender', ['accountId', 'channel', 'senderId'], { unique: true })
@Index('ix_sender_ids_account', ['accountId', 'id'])
@Index('ix_sender_ids_status', ['status', 'id'])
export class SenderIdEntity {
  @PrimaryGeneratedColumn({ type: 'int', unsigned: true })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'varchar', length: 8, ...ASCII })
  channel!: string;

  /** compared byte for byte, as operators register names */
  @Column({ name: 'sender_id', type: 'varchar', length: 16, ...ASCII })
  senderId!: string;

  @Column({ name: 'dlt_entity_id', type: 'varchar', length: 30, nullable: true, ...ASCII })
  dltEntityId!: string | null;

  @Column({ name: 'use_case', type: 'varchar', length: 500, nullable: true })
  useCase!: string | null;

  @Column({ type: 'varchar', length: 10, ...ASCII })
  status!: string;

  @Column({ type: 'varchar', length: 255, nullable: true })
  reason!: string | null;

  @Column({ type: 'int', unsigned: true })
  revision!: number;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

export const senderIdTables: readonly TableRule[] = [
  { table: 'sender_ids', rule: 'kept', why: 'SENDER_IDS_PER_ACCOUNT' },
];
