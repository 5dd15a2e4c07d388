import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';
import { READERS_LEASE_MS } from './readings.store.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** State of an upload or a list; its owner sees it only when Ready. */
export const HeadState = {
  Writing: 0,
  Ready: 1,
  Removed: 2,
} as const;

@Entity('recipient_uploads')
@Index('ix_recipient_uploads_account', ['accountId', 'state', 'id'])
@Index('ix_recipient_uploads_due', ['dueAt'])
export class UploadEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'tinyint', unsigned: true })
  state!: number;

  @Column({ name: 'kept_rows', type: 'int', unsigned: true })
  keptRows!: number;

  /** bytes counted against the quota (reference/accounts#quotas) */
  @Column({ type: 'bigint', unsigned: true, default: 0 })
  bytes!: number;

  /** `UploadFacts` as JSON */
  @Column({ type: 'mediumtext' })
  facts!: string;

  /** incremented by each sweeper's claim; earlier holders may write and read no more */
  @Column({ type: 'int', unsigned: true })
  fence!: number;

  /** until when its writer or a send holds it; the rows stay until then */
  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** when it is to be removed; for a ready one its expiry */
  @Column({ name: 'due_at', type: 'datetime', precision: 3 })
  dueAt!: Date;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

@Entity('recipient_upload_rows')
export class UploadRowEntity {
  @PrimaryColumn({ name: 'upload_id', type: 'bigint' })
  uploadId!: number;

  /** row of the file, 1 = the first below the header; rows without a number are skipped */
  @PrimaryColumn({ type: 'int', unsigned: true })
  seq!: number;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  number!: string;

  @Column({ type: 'text', nullable: true })
  variables!: string | null;
}

/** A row of a file that was left out, for its download. */
@Entity('recipient_upload_skips')
export class UploadSkipEntity {
  @PrimaryColumn({ name: 'upload_id', type: 'bigint' })
  uploadId!: number;

  /** row of the file, 1 = the first below the header */
  @PrimaryColumn({ type: 'int', unsigned: true })
  seq!: number;

  /** `SkippedRow` as JSON */
  @Column({ type: 'text' })
  fault!: string;
}

@Entity('recipient_lists')
@Index('ix_recipient_lists_account', ['accountId', 'state', 'id'])
@Index('ix_recipient_lists_due', ['dueAt'])
export class RecipientListEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @Column({ type: 'tinyint', unsigned: true })
  state!: number;

  @Column({ type: 'varchar', length: 100 })
  name!: string;

  @Column({ type: 'int', unsigned: true })
  members!: number;

  @Column({ type: 'bigint', unsigned: true, default: 0 })
  bytes!: number;

  /** incremented with each change of its members, so that readers detect changes */
  @Column({ type: 'bigint', unsigned: true })
  changes!: number;

  /** first acceptance of a campaign to it; its members cannot change afterwards */
  @Column({ name: 'frozen_at', type: 'datetime', precision: 3, nullable: true })
  frozenAt!: Date | null;

  /** until when an upload is being added; nothing is sent to it before */
  @Column({ name: 'filling_until', type: 'datetime', precision: 3, nullable: true })
  fillingUntil!: Date | null;

  @Column({ type: 'int', unsigned: true })
  fence!: number;

  /** until when its writer, a send or a copy holds it; the members stay until then */
  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  @Column({ name: 'due_at', type: 'datetime', precision: 3, nullable: true })
  dueAt!: Date | null;

  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

@Entity('recipient_list_members')
export class ListMemberEntity {
  @PrimaryColumn({ name: 'list_id', type: 'bigint' })
  listId!: number;

  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  number!: string;

  @Column({ type: 'text', nullable: true })
  variables!: string | null;
}

export const recipientListEntities = [
  UploadEntity,
  UploadRowEntity,
  UploadSkipEntity,
  RecipientListEntity,
  ListMemberEntity,
];

/** The longest lease that any holder takes. */
const LEASE = { column: 'lease_until', longest: READERS_LEASE_MS } as const;

export const recipientListTables: readonly TableRule[] = [
  {
    table: 'recipient_uploads',
    rule: 'work',
    why: 'the sweeper removes them after seven days; UPLOADS_PER_ACCOUNT',
    moments: [LEASE],
  },
  { table: 'recipient_upload_rows', rule: 'work', why: 'removed before their upload, some thousand at a time' },
  { table: 'recipient_upload_skips', rule: 'work', why: 'removed before their upload, some thousand at a time' },
  {
    table: 'recipient_lists',
    rule: 'kept',
    why: 'until their owner removes them; LISTS_PER_ACCOUNT',
    moments: [LEASE, { column: 'filling_until', longest: READERS_LEASE_MS }],
  },
  { table: 'recipient_list_members', rule: 'kept', why: 'as long as their list; MEMBERS_PER_LIST' },
];
