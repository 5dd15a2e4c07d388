import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { firstIdAt } from '../../../kernel/ids.js';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { again, daysAfter, inListedOrder, listKeys, type WriteResult } from '../../../platform/database/index.js';
import { DAYS_KEPT, type Upload, type UploadFacts } from '../domain/upload.js';
import { HeadState, UploadEntity } from './recipient-lists.entities.js';

/** A row as a reader takes it. */
export interface StoredRow {
  seq: number;
  number: string;
  variables: string | null;
}

/** What a reader holds. */
export interface Hold {
  id: number;
  fence: number;
  /** recipients */
  total: number;
}

/** So long a reader may pause between two parts. */
export const READERS_LEASE_MS = 120_000;
export const ROWS_A_READ = 2_000;

const IS_THERE = `state = ${HeadState.Ready} AND due_at > UTC_TIMESTAMP(3)`;
const FROM_NOW = 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';

/** Uploads as their owners and sends find them. */
@Injectable()
export class UploadStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @returns null for another account's, a removed or an expired one */
  async byId(accountId: number, id: number): Promise<Upload | null> {
    const rows: UploadEntity[] = await this.dataSource
      .getRepository(UploadEntity)
      .createQueryBuilder('u')
      .where(`id = :id AND account_id = :accountId AND ${IS_THERE}`, { id, accountId })
      .limit(1)
      .getMany();
    return rows[0] ? uploadOf(rows[0]) : null;
  }

  /** Newest first. */
  async part(accountId: number, page: Page): Promise<Listed<Upload>> {
    // what has expired and is not swept yet is not shown: ids ascend with time
    const oldest = firstIdAt(daysAfter(now(), -DAYS_KEPT));
    const where = `account_id = ? AND state = ${HeadState.Ready} AND id >= ?`;
    const ranges = [{ where, values: [accountId, oldest] }];
    const index = 'ix_recipient_uploads_account';
    const list = { table: 'recipient_uploads', index, key: 'id', order: 'DESC', ranges } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(UploadEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      uploadOf,
    );
  }

  /** It vanishes at once; its rows go in bounded steps. @returns false when there is none */
  async remove(tx: EntityManager, accountId: number, id: number): Promise<boolean> {
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE recipient_uploads SET state = ${HeadState.Removed}, due_at = UTC_TIMESTAMP(3)
       WHERE id = ? AND account_id = ? AND ${IS_THERE}`,
      [id, accountId],
    );
    return affectedRows === 1;
  }

  /** Keeps the rows as long as a reader goes on, though the upload be removed or expire. @returns null when there is none */
  async hold(accountId: number, id: number): Promise<Hold | null> {
    const { affectedRows }: WriteResult = await this.dataSource.query(
      again(`UPDATE recipient_uploads SET lease_until = ${FROM_NOW} WHERE id = ? AND account_id = ? AND ${IS_THERE}`),
      [READERS_LEASE_MS * 1000, id, accountId],
    );
    if (affectedRows === 0) return null;
    const [row] = await this.dataSource.query<Hold[]>(
      'SELECT id, fence, kept_rows AS total FROM recipient_uploads WHERE id = ?',
      [id],
    );
    return row ?? null;
  }

  /** @returns false when a sweeper has taken the rows: the reader was away for too long */
  async keep({ id, fence }: Hold): Promise<boolean> {
    const { affectedRows }: WriteResult = await this.dataSource.query(
      again(`UPDATE recipient_uploads SET lease_until = ${FROM_NOW} WHERE id = ? AND fence = ?`),
      [READERS_LEASE_MS * 1000, id, fence],
    );
    return affectedRows === 1;
  }

  /** The next rows in their order. */
  rowsAfter(id: number, seq: number, most = ROWS_A_READ): Promise<StoredRow[]> {
    return this.dataSource.query(
      `SELECT seq, number, variables FROM recipient_upload_rows WHERE upload_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
      [id, seq, most],
    );
  }
}

const uploadOf = ({ id, keptRows, facts, createdAt, dueAt }: UploadEntity): Upload => ({
  ...(JSON.parse(facts) as UploadFacts),
  id,
  rows: keptRows,
  createdAt,
  expiresAt: dueAt,
});
