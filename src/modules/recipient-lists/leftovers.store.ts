import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { again, inTransaction, type WriteResult, isFree, LeasedTable } from '../../platform/database/index.js';
import { DueWatch } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { freeStored } from '../quotas/index.js';
import { HeadState } from './tables.js';

interface Rows {
  table: string;
  of: string;
  order: string;
}

interface Heads {
  table: string;
  /** SQL condition: the owner can see it */
  isThere: string;
  rows: readonly Rows[];
  leases: LeasedTable;
}

/** Writers renew it with every commit, sweepers with every step. */
export const LEASE_MS = 60_000;
/** Fence value until a sweeper claims the head. */
export const WRITERS_FENCE = 0;
const ROWS_A_STEP = 5_000;
const HEADS_A_READ = 10;

const headsOf = (heads: Omit<Heads, 'leases'>): Heads => ({
  ...heads,
  leases: new LeasedTable({ table: heads.table, key: ['id'], moved: ['due_at'] }),
});

export const UPLOADS = headsOf({
  table: 'recipient_uploads',
  isThere: `state = ${HeadState.Ready} AND due_at > UTC_TIMESTAMP(3)`,
  rows: [
    { table: 'recipient_upload_rows', of: 'upload_id', order: 'seq' },
    { table: 'recipient_upload_skips', of: 'upload_id', order: 'seq' },
  ],
});
export const LISTS = headsOf({
  table: 'recipient_lists',
  isThere: `state = ${HeadState.Ready}`,
  rows: [{ table: 'recipient_list_members', of: 'list_id', order: 'number' }],
});

const IS_DUE = `due_at <= UTC_TIMESTAMP(3) AND ${isFree()}`;

const IS_ANY_LEFT = [UPLOADS, LISTS].map(({ table }) => `EXISTS (SELECT 1 FROM ${table} WHERE ${IS_DUE})`).join(' OR ');

/**
 * Hides an upload or a list at once. Deletes its rows too if they are few and no send reads them; else the sweeper deletes
 * them, and they count against the quota until then. @returns false when there is none
 */
export async function removeHead(tx: EntityManager, heads: Heads, accountId: number, id: number): Promise<boolean> {
  const { table, isThere, rows } = heads;
  const { affectedRows }: WriteResult = await tx.query(
    `UPDATE ${table} SET state = ${HeadState.Removed}, due_at = UTC_TIMESTAMP(3)
     WHERE id = ? AND account_id = ? AND ${isThere}`,
    [id, accountId],
  );
  if (affectedRows === 0) return false;
  const areFew = rows.map(
    (each) => `NOT EXISTS (SELECT 1 FROM ${each.table} WHERE ${each.of} = ? LIMIT 1 OFFSET ${ROWS_A_STEP})`,
  );
  const [small] = await tx.query<StoredHead[]>(
    `SELECT account_id AS accountId, bytes FROM ${table} WHERE id = ? AND ${areFew.join(' AND ')} AND ${isFree()}`,
    [id, ...rows.map(() => id)],
  );
  if (!small) return true;
  for (const each of rows) await tx.query(`DELETE FROM ${each.table} WHERE ${each.of} = ?`, [id]);
  await dropHead(tx, table, id, small);
  return true;
}

interface StoredHead {
  accountId: number;
  bytes: number;
}

/** Deletes the head and frees its bytes exactly once. The caller holds the lock of the head's row. */
async function dropHead(tx: EntityManager, table: string, id: number, { accountId, bytes }: StoredHead): Promise<void> {
  await tx.query(`DELETE FROM ${table} WHERE id = ?`, [id]);
  await freeStored(tx, accountId, Number(bytes));
}

/** Deletes due rows in bounded steps, then their head; skips heads that a send reads, because it holds their lease. */
@Injectable()
export class Leftovers {
  private readonly logger = new Logger(Leftovers.name);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Removes all that is due; safe to run in several processes. @param isStopped checked between two steps */
  async sweep(isStopped: () => boolean = () => false): Promise<void> {
    for (const heads of [UPLOADS, LISTS]) {
      while (!isStopped() && (await this.sweepSome(heads, isStopped)));
    }
  }

  /** Removes the rows of a writer that gives up. Never throws: the sweeper removes what remains. */
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

  private async sweepSome(heads: Heads, isStopped: () => boolean): Promise<boolean> {
    const due = await this.dataSource.query<{ id: number; fence: number }[]>(
      `SELECT id, fence FROM ${heads.table} WHERE ${IS_DUE} ORDER BY due_at LIMIT ${HEADS_A_READ}`,
    );
    for (const { id, fence } of due) {
      if (isStopped()) return false;
      await this.remove(heads, id, fence, isStopped);
    }
    return due.length === HEADS_A_READ;
  }

  private async remove(heads: Heads, id: number, fence: number, isStopped = (): boolean => false): Promise<void> {
    const set = { state: HeadState.Removed };
    const onlyIf = 'due_at <= UTC_TIMESTAMP(3)';
    if (!(await heads.leases.claim(this.dataSource, [id], LEASE_MS, { fence, set, onlyIf }))) return;
    const step = (): Promise<boolean> =>
      inTransaction(this.dataSource, async (tx) => {
        if (!(await heads.leases.renew(tx, [id], fence + 1, LEASE_MS))) return false;
        for (const { table, of, order } of heads.rows) {
          const { affectedRows }: WriteResult = await tx.query(
            `DELETE FROM ${table} WHERE ${of} = ? ORDER BY ${order} LIMIT ${ROWS_A_STEP}`,
            [id],
          );
          if (affectedRows === ROWS_A_STEP) return true;
        }
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

/** In the worker: runs `Leftovers.sweep` when rows are due. */
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
