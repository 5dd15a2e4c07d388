import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';
import { READERS_LEASE_MS } from './readings.store.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** Where an upload or a list stands: only what is ready is there for its owner. */
export const HeadState = {
  /** its rows are being written; it is not seen */
  Writing: 0,
  Ready: 1,
  /** its rows are being removed; it is not seen */
  Removed: 2,
} as const;

/** A file of recipients that an account uploaded; its rows stand in `recipient_upload_rows`. */
@Entity('recipient_uploads')
@Index('ix_recipient_uploads_account', ['accountId', 'state', 'id'])
@Index('ix_recipient_uploads_due', ['dueAt'])
export class UploadEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** see `HeadState` */
  @Column({ type: 'tinyint', unsigned: true })
  state!: number;

  /** rows with a number */
  @Column({ name: 'kept_rows', type: 'int', unsigned: true })
  keptRows!: number;

  /** bytes that its rows count (reference/accounts#quotas) */
  @Column({ type: 'bigint', unsigned: true, default: 0 })
  bytes!: number;

  /** what was found in the file (`UploadFacts`), as JSON */
  @Column({ type: 'mediumtext' })
  facts!: string;

  /** claims of sweepers: who held it before writes and reads nothing any more */
  @Column({ type: 'int', unsigned: true })
  fence!: number;

  /** until when its writer writes, or a send reads; the rows stay so long */
  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** when it is to be removed: of a ready one, when it expires */
  @Column({ name: 'due_at', type: 'datetime', precision: 3 })
  dueAt!: Date;

  /** who made it (`kernel/maker.ts`); null = the service itself, or not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** A row of an uploaded file that has a number. */
@Entity('recipient_upload_rows')
export class UploadRowEntity {
  @PrimaryColumn({ name: 'upload_id', type: 'bigint' })
  uploadId!: number;

  /** of the file's rows, 1 = the first below the header; those without a number are left out */
  @PrimaryColumn({ type: 'int', unsigned: true })
  seq!: number;

  @Column({ type: 'varchar', length: 32, ...ASCII })
  number!: string;

  /** JSON object of texts; null = none */
  @Column({ type: 'text', nullable: true })
  variables!: string | null;
}

/** A list of recipients that an account keeps; its members stand in `recipient_list_members`. */
@Entity('recipient_lists')
@Index('ix_recipient_lists_account', ['accountId', 'state', 'id'])
@Index('ix_recipient_lists_due', ['dueAt'])
export class RecipientListEntity {
  @PrimaryColumn({ type: 'bigint' })
  id!: number;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** see `HeadState` */
  @Column({ type: 'tinyint', unsigned: true })
  state!: number;

  @Column({ type: 'varchar', length: 100 })
  name!: string;

  /** how many there are */
  @Column({ type: 'int', unsigned: true })
  members!: number;

  /** bytes that its members count (reference/accounts#quotas) */
  @Column({ type: 'bigint', unsigned: true, default: 0 })
  bytes!: number;

  /** one more with each change of its members: two readings under one count have read the same */
  @Column({ type: 'bigint', unsigned: true })
  changes!: number;

  /** since when its members cannot change: the first campaign that was sent to it */
  @Column({ name: 'frozen_at', type: 'datetime', precision: 3, nullable: true })
  frozenAt!: Date | null;

  /** until when an upload is being added; it is not sent to before */
  @Column({ name: 'filling_until', type: 'datetime', precision: 3, nullable: true })
  fillingUntil!: Date | null;

  /** claims of sweepers, as of an upload, and of those who add an upload to it */
  @Column({ type: 'int', unsigned: true })
  fence!: number;

  /** until when its writer writes, or a send or a copy reads; the members stay so long */
  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** when it is to be removed; null = it stays */
  @Column({ name: 'due_at', type: 'datetime', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** who made it (`kernel/maker.ts`); null = the service itself, or not known */
  @Column({ name: 'created_by', type: 'varchar', length: 128, nullable: true })
  createdBy!: string | null;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}

/** A number on a list. */
@Entity('recipient_list_members')
export class ListMemberEntity {
  @PrimaryColumn({ name: 'list_id', type: 'bigint' })
  listId!: number;

  /** digits */
  @PrimaryColumn({ type: 'varchar', length: 32, ...ASCII })
  number!: string;

  /** JSON object of texts; null = none */
  @Column({ type: 'text', nullable: true })
  variables!: string | null;
}

export const recipientListEntities = [UploadEntity, UploadRowEntity, RecipientListEntity, ListMemberEntity];

/** The longest of those that writers, readers and the sweeper take. */
const LEASE = { column: 'lease_until', longest: READERS_LEASE_MS } as const;

/** What becomes of uploads and lists. */
export const recipientListTables: readonly TableRule[] = [
  {
    table: 'recipient_uploads',
    rule: 'work',
    why: 'the sweeper removes them after seven days; UPLOADS_PER_ACCOUNT',
    moments: [LEASE],
  },
  { table: 'recipient_upload_rows', rule: 'work', why: 'removed before their upload, some thousand at a time' },
  {
    table: 'recipient_lists',
    rule: 'kept',
    why: 'until their owner removes them; LISTS_PER_ACCOUNT',
    moments: [LEASE, { column: 'filling_until', longest: READERS_LEASE_MS }],
  },
  { table: 'recipient_list_members', rule: 'kept', why: 'as long as their list; MEMBERS_PER_LIST' },
];
