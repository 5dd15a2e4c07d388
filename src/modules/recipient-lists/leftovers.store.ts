import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { again, inTransaction, type WriteResult, isFree, LeasedTable } from '../../platform/database/index.js';
import { DueWatch } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { freeStored } from '../quotas/index.js';
import { HeadState } from './tables.js';

/** A table of uploads or lists, and that of their rows. */
interface Heads {
  table: string;
  /** SQL: it is there for its owner */
  isThere: string;
  /** column of how many rows there are of one that is there */
  count: string;
  rows: string;
  /** of the rows, the columns of their primary key */
  of: string;
  order: string;
  leases: LeasedTable;
}

/** A writer renews it with every commit, a sweeper with every step. */
export const LEASE_MS = 60_000;
/** Only its writer has had the head. */
export const WRITERS_FENCE = 0;
const ROWS_A_STEP = 5_000;
const HEADS_A_LOOK = 10;

const headsOf = (heads: Omit<Heads, 'leases'>): Heads => ({
  ...heads,
  leases: new LeasedTable({ table: heads.table, key: ['id'], moved: ['due_at'] }),
});

export const UPLOADS = headsOf({
  table: 'recipient_uploads',
  isThere: `state = ${HeadState.Ready} AND due_at > UTC_TIMESTAMP(3)`,
  count: 'kept_rows',
  rows: 'recipient_upload_rows',
  of: 'upload_id',
  order: 'seq',
});
export const LISTS = headsOf({
  table: 'recipient_lists',
  isThere: `state = ${HeadState.Ready}`,
  count: 'members',
  rows: 'recipient_list_members',
  of: 'list_id',
  order: 'number',
});

const IS_DUE = `due_at <= UTC_TIMESTAMP(3) AND ${isFree()}`;

/** SQL: whether rows are to be removed. */
const IS_ANY_LEFT = [UPLOADS, LISTS].map(({ table }) => `EXISTS (SELECT 1 FROM ${table} WHERE ${IS_DUE})`).join(' OR ');

/**
 * It vanishes at once. Its rows go with it where they are few and no send reads them, else in bounded steps behind it; as long
 * as there are any, the head counts for its account.
 * @returns false when there is none
 */
export async function removeHead(tx: EntityManager, heads: Heads, accountId: number, id: number): Promise<boolean> {
  const { table, isThere, count, rows, of } = heads;
  const { affectedRows }: WriteResult = await tx.query(
    `UPDATE ${table} SET state = ${HeadState.Removed}, due_at = UTC_TIMESTAMP(3)
     WHERE id = ? AND account_id = ? AND ${isThere}`,
    [id, accountId],
  );
  if (affectedRows === 0) return false;
  const [small] = await tx.query<StoredHead[]>(
    `SELECT account_id AS accountId, bytes FROM ${table} WHERE id = ? AND ${count} <= ${ROWS_A_STEP} AND ${isFree()}`,
    [id],
  );
  if (!small) return true;
  await tx.query(`DELETE FROM ${rows} WHERE ${of} = ?`, [id]);
  await dropHead(tx, table, id, small);
  return true;
}

/** What a head counts for its account. */
interface StoredHead {
  accountId: number;
  bytes: number;
}

/** Its bytes are given back once, with the head on which they stand. The caller has written the head. */
async function dropHead(tx: EntityManager, table: string, id: number, { accountId, bytes }: StoredHead): Promise<void> {
  await tx.query(`DELETE FROM ${table} WHERE id = ?`, [id]);
  await freeStored(tx, accountId, Number(bytes));
}

/**
 * Removes rows in bounded steps, and their head last: of uploads that have expired, of uploads and lists that their owner
 * removed, of those whose writer was killed or has failed. Never while a send reads: it holds the head's lease.
 */
@Injectable()
export class Leftovers {
  private readonly logger = new Logger(Leftovers.name);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Removes all that is due. Any number of processes may do so side by side. @param isStopped asked between two steps */
  async sweep(isStopped: () => boolean = () => false): Promise<void> {
    for (const heads of [UPLOADS, LISTS]) {
      while (!isStopped() && (await this.sweepSome(heads, isStopped)));
    }
  }

  /** Removes what a writer has begun and will not end; what cannot be removed now is left to the sweeper. */
  async abandon(heads: Heads, id: number): Promise<void> {
    try {
      await this.dataSource.query(
        again(`UPDATE ${heads.table} SET state = ${HeadState.Removed}, due_at = UTC_TIMESTAMP(3), lease_until = NULL
         WHERE id = ? AND fence = ? AND state = ${HeadState.Writing}`),
        [id, WRITERS_FENCE],
      );
      await this.remove(heads, id, WRITERS_FENCE);
    } catch (error) {
      this.logger.warn({ err: safeError(error), table: heads.table, id }, 'rows without a head wait for the sweeper');
    }
  }

  /** @returns whether there may be more */
  private async sweepSome(heads: Heads, isStopped: () => boolean): Promise<boolean> {
    const due = await this.dataSource.query<{ id: number; fence: number }[]>(
      `SELECT id, fence FROM ${heads.table} WHERE ${IS_DUE} ORDER BY due_at LIMIT ${HEADS_A_LOOK}`,
    );
    for (const { id, fence } of due) {
      if (isStopped()) return false;
      await this.remove(heads, id, fence, isStopped);
    }
    return due.length === HEADS_A_LOOK;
  }

  private async remove(heads: Heads, id: number, fence: number, isStopped = (): boolean => false): Promise<void> {
    const set = { state: HeadState.Removed };
    const onlyIf = 'due_at <= UTC_TIMESTAMP(3)';
    if (!(await heads.leases.claim(this.dataSource, [id], LEASE_MS, { fence, set, onlyIf }))) return;
    const step = (): Promise<boolean> =>
      inTransaction(this.dataSource, async (tx) => {
        if (!(await heads.leases.renew(tx, [id], fence + 1, LEASE_MS))) return false;
        const { affectedRows }: WriteResult = await tx.query(
          `DELETE FROM ${heads.rows} WHERE ${heads.of} = ? ORDER BY ${heads.order} LIMIT ${ROWS_A_STEP}`,
          [id],
        );
        if (affectedRows === ROWS_A_STEP) return true;
        const [head] = await tx.query<StoredHead[]>(
          `SELECT account_id AS accountId, bytes FROM ${heads.table} WHERE id = ?`,
          [id],
        );
        if (head) await dropHead(tx, heads.table, id, head);
        return false;
      });
    while (!isStopped() && (await step()));
  }
}

/** Removes uploads that have expired, and what removed or broken off ones have left: it counts for its account until then. */
@Injectable()
export class UploadSweeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UploadSweeper.name);
  private readonly sweeps: SingleRun;

  constructor(watch: DueWatch, leftovers: Leftovers) {
    this.sweeps = watch.register({
      name: 'recipient-leftovers',
      isDue: IS_ANY_LEFT,
      work: () => leftovers.sweep(() => this.sweeps.isStopped),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'uploads and lists could not be removed'),
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sweeps.stop();
  }
}
