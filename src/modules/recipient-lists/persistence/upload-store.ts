import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { firstIdAt } from '../../../kernel/ids.js';
import { type Listed, type Page, shown } from '../../../kernel/lists.js';
import { daysAfter, inListedOrder, listKeys } from '../../../platform/database/index.js';
import { DAYS_KEPT, type Upload, type UploadFacts } from '../domain/upload.js';
import { removeHead, UPLOADS } from './leftovers.js';
import { type Reading, Readings } from './readings.js';
import { HeadState, UploadEntity } from './recipient-lists.entities.js';

/** A row as a reader takes it. */
export interface StoredRow {
  seq: number;
  number: string;
  variables: string | null;
}

export const ROWS_A_READ = 2_000;

const READINGS = new Readings({
  table: 'recipient_uploads',
  total: 'kept_rows',
  as: ['fence'],
  isThere: UPLOADS.isThere,
});

/** Uploads as their owners and sends find them. */
@Injectable()
export class UploadStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @returns null for another account's, a removed or an expired one */
  async byId(accountId: number, id: number): Promise<Upload | null> {
    const rows: UploadEntity[] = await this.dataSource
      .getRepository(UploadEntity)
      .createQueryBuilder('u')
      .where(`id = :id AND account_id = :accountId AND ${UPLOADS.isThere}`, { id, accountId })
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

  /** As `removeHead`. */
  remove(tx: EntityManager, accountId: number, id: number): Promise<boolean> {
    return removeHead(tx, UPLOADS, accountId, id);
  }

  /** For a send. @returns null when there is none; what is held stays though it be removed or expire */
  hold(accountId: number, id: number): Promise<Reading | null> {
    return READINGS.hold(this.dataSource, accountId, id);
  }

  /** For a quote. @returns null when there is none */
  look(accountId: number, id: number): Promise<Reading | null> {
    return READINGS.look(this.dataSource, accountId, id);
  }

  /** Behind each part. @returns false when rows may be gone: it was removed under a look, or a hold was away for too long */
  keep(reading: Reading): Promise<boolean> {
    return READINGS.keep(this.dataSource, reading);
  }

  /** The next rows in their order. */
  rowsAfter(id: number, seq: number): Promise<StoredRow[]> {
    return this.dataSource.query(
      `SELECT seq, number, variables FROM recipient_upload_rows WHERE upload_id = ? AND seq > ?
       ORDER BY seq LIMIT ${ROWS_A_READ}`,
      [id, seq],
    );
  }
}

const uploadOf = ({ id, keptRows, facts, createdBy, createdAt, dueAt }: UploadEntity): Upload => ({
  ...(JSON.parse(facts) as UploadFacts),
  id,
  rows: keptRows,
  createdBy,
  createdAt,
  expiresAt: dueAt,
});
