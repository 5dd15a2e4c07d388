import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import {
  FROM_NOW,
  again,
  inListedOrder,
  inTransaction,
  listKeys,
  type WriteResult,
} from '../../platform/database/index.js';
import { addStored, lockQuota } from '../quotas/index.js';
import type { RecipientList } from './domain/list-form.js';
import { LEASE_MS, LISTS, removeHead, WRITERS_FENCE } from './leftovers.store.js';
import { type Reading, Readings } from './readings.store.js';
import { listErrors, LISTS_AT_ONCE } from './recipient-lists.errors.js';
import { HeadState, RecipientListEntity } from './tables.js';

type Source = Pick<EntityManager, 'query' | 'getRepository'>;

export interface NewList {
  name: string;
  createdBy: string;
}

export interface NamedList {
  accountId: number;
  id: number;
}

/** Fillers renew it with every commit. */
const FILLING_MS = 60_000;
const { isThere: IS_THERE } = LISTS;
const IS_NOT_FILLED = '(filling_until IS NULL OR filling_until <= UTC_TIMESTAMP(3))';

const READINGS = new Readings({
  table: 'recipient_lists',
  total: 'members',
  as: ['fence', 'changes'],
  isThere: `${IS_THERE} AND ${IS_NOT_FILLED}`,
});

/** The table of lists, without their members. */
@Injectable()
export class ListStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'LISTS_PER_ACCOUNT' | 'STORAGE_PER_ACCOUNT'>,
  ) {}

  /** @returns null for another account's list, or a removed one */
  async byId(accountId: number, id: number, source: Source = this.dataSource): Promise<RecipientList | null> {
    const found = { id, accountId, state: HeadState.Ready };
    const row = await source.getRepository(RecipientListEntity).findOneBy(found);
    return row && listOf(row);
  }

  async part(accountId: number, page: Page): Promise<Listed<RecipientList>> {
    const ranges = [{ where: `account_id = ? AND ${IS_THERE}`, values: [accountId] }];
    const index = 'ix_recipient_lists_account';
    const list = { table: 'recipient_lists', index, key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(RecipientListEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      listOf,
    );
  }

  /** Creates an empty list. @param isWritten false hides it until `finish`, under a lease @throws AppError invalid, too_many */
  async create(tx: EntityManager, accountId: number, { name, createdBy }: NewList, isWritten = true): Promise<number> {
    const most = this.environment.LISTS_PER_ACCOUNT;
    const { kept, busy } = await this.counted(tx, accountId);
    if (!isWritten && busy >= LISTS_AT_ONCE) throw listErrors.busy();
    if (kept >= most) throw listErrors.tooMany(most);
    const id = newId();
    const lease = isWritten ? null : LEASE_MS * 1000;
    await tx.query(
      `INSERT INTO recipient_lists (id, account_id, state, name, members, changes, fence, lease_until, due_at, created_by,
         created_at)
       VALUES (?, ?, ?, ?, 0, 0, ?, ${FROM_NOW}, ${FROM_NOW}, ?, UTC_TIMESTAMP(3))`,
      [id, accountId, isWritten ? HeadState.Ready : HeadState.Writing, name, WRITERS_FENCE, lease, lease, createdBy],
    );
    return id;
  }

  /** Makes a list visible after its copy. @returns false when a sweeper has taken the members */
  async finish(tx: EntityManager, id: number, members: number): Promise<boolean> {
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE recipient_lists SET state = ${HeadState.Ready}, members = ?, lease_until = NULL, due_at = NULL
       WHERE id = ? AND fence = ? AND state = ${HeadState.Writing}`,
      [members, id, WRITERS_FENCE],
    );
    return affectedRows === 1;
  }

  async rename(tx: EntityManager, accountId: number, id: number, name: string): Promise<boolean> {
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE recipient_lists SET name = ? WHERE id = ? AND account_id = ? AND ${IS_THERE}`,
      [name, id, accountId],
    );
    return affectedRows === 1;
  }

  remove(tx: EntityManager, accountId: number, id: number): Promise<boolean> {
    return removeHead(tx, LISTS, accountId, id);
  }

  /**
   * Call before changing members, in the same transaction: the row lock serializes the changes. @returns number of members
   * @param fence fence of a filler, whose time it renews; null = other writers, which may change a list during a fill
   * @throws AppError not_found, conflict `List is frozen`, `List is being changed` when another filler has the list
   */
  async change(tx: EntityManager, accountId: number, id: number, fence: number | null = null): Promise<number> {
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE recipient_lists SET changes = changes + 1,
         filling_until = IF(? IS NULL, filling_until, ${FROM_NOW})
       WHERE id = ? AND account_id = ? AND ${IS_THERE} AND frozen_at IS NULL AND fence = COALESCE(?, fence)`,
      [fence, FILLING_MS * 1000, id, accountId, fence],
    );
    if (affectedRows === 0) throw await this.refusal(accountId, id, tx);
    const [row] = await tx.query<{ members: number }[]>('SELECT members FROM recipient_lists WHERE id = ?', [id]);
    return row?.members ?? 0;
  }

  /** Stores the number of members; the caller holds the row by `change`. @throws AppError invalid beyond the storage quota */
  async count(tx: EntityManager, { accountId, id }: NamedList, members: number, bytes: number): Promise<void> {
    await tx.query(
      'UPDATE recipient_lists SET members = ?, bytes = GREATEST(CAST(bytes AS SIGNED) + ?, 0) WHERE id = ?',
      [members, bytes, id],
    );
    await addStored(tx, accountId, bytes, this.environment.STORAGE_PER_ACCOUNT);
  }

  /** Counts a copy's bytes in advance; the caller holds the source. @throws AppError invalid beyond the storage quota */
  async countCopy(tx: EntityManager, { accountId, id: from }: NamedList, to: number): Promise<void> {
    const [list] = await tx.query<{ bytes: number }[]>('SELECT bytes FROM recipient_lists WHERE id = ?', [from]);
    const bytes = Number(list?.bytes ?? 0);
    await tx.query('UPDATE recipient_lists SET bytes = ? WHERE id = ?', [bytes, to]);
    await addStored(tx, accountId, bytes, this.environment.STORAGE_PER_ACCOUNT);
  }

  /** Starts a fill, one per list. @returns its fence, void after another's start @throws AppError too_many, and as `change` */
  async beginFilling(accountId: number, id: number): Promise<number> {
    return inTransaction(this.dataSource, async (tx) => {
      const { busy } = await this.counted(tx, accountId);
      if (busy >= LISTS_AT_ONCE) throw listErrors.busy();
      const { affectedRows }: WriteResult = await tx.query(
        `UPDATE recipient_lists SET fence = fence + 1, filling_until = ${FROM_NOW}
         WHERE id = ? AND account_id = ? AND ${IS_THERE} AND frozen_at IS NULL AND ${IS_NOT_FILLED}`,
        [FILLING_MS * 1000, id, accountId],
      );
      if (affectedRows === 0) throw await this.refusal(accountId, id, tx);
      const [row] = await tx.query<{ fence: number }[]>('SELECT fence FROM recipient_lists WHERE id = ?', [id]);
      if (!row) throw listErrors.notFound();
      return row.fence;
    });
  }

  async endFilling(id: number, fence: number): Promise<void> {
    const end = again('UPDATE recipient_lists SET filling_until = NULL WHERE id = ? AND fence = ?');
    await this.dataSource.query(end, [id, fence]);
  }

  /** Keeps the members readable by a lease, even if the list is removed. @throws AppError not_found, conflict */
  async hold(accountId: number, id: number, source: Source = this.dataSource): Promise<Reading> {
    const reading = await READINGS.hold(source, accountId, id);
    if (!reading) throw await this.refusal(accountId, id, source);
    return reading;
  }

  /** Reads without a lease, for a quote. @throws AppError as `hold` */
  async peek(accountId: number, id: number): Promise<Reading> {
    const reading = await READINGS.peek(this.dataSource, accountId, id);
    if (!reading) throw await this.refusal(accountId, id);
    return reading;
  }

  /** Call after each part. @throws AppError conflict when the list changed since the reading began */
  async keep(reading: Reading, source: Source = this.dataSource): Promise<void> {
    if (!(await READINGS.keep(source, reading))) throw listErrors.changing();
  }

  /** Freezes the list in the transaction that accepts a send. @throws AppError conflict when it changed since the reading */
  async freeze(tx: EntityManager, { id, as: { fence, changes } }: Reading): Promise<void> {
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE recipient_lists SET frozen_at = COALESCE(frozen_at, UTC_TIMESTAMP(3))
       WHERE id = ? AND fence = ? AND changes = ? AND ${IS_THERE} AND ${IS_NOT_FILLED}`,
      [id, fence, changes],
    );
    if (affectedRows === 0) throw listErrors.changing();
  }

  /** Counts lists (also removed ones with members left), and copies and fills under way. Takes the quota lock. */
  private async counted(tx: EntityManager, accountId: number): Promise<{ kept: number; busy: number }> {
    await lockQuota(tx, accountId, 'lists');
    const [row] = await tx.query<{ kept: number; busy: number }[]>(
      `SELECT COUNT(*) AS kept, COUNT(IF((state = ${HeadState.Writing} AND due_at > UTC_TIMESTAMP(3))
         OR filling_until > UTC_TIMESTAMP(3), 1, NULL)) AS busy
       FROM recipient_lists WHERE account_id = ?`,
      [accountId],
    );
    return { kept: Number(row?.kept), busy: Number(row?.busy) };
  }

  /** The error for a refused change or reading. */
  private async refusal(accountId: number, id: number, source: Source = this.dataSource): Promise<Error> {
    const list = await this.byId(accountId, id, source);
    if (!list) return listErrors.notFound();
    return list.frozenAt ? listErrors.frozen() : listErrors.changing();
  }
}

const listOf = ({ id, name, members, frozenAt, createdBy, createdAt }: RecipientListEntity): RecipientList => ({
  id,
  name,
  members,
  frozenAt,
  createdBy,
  createdAt,
});
