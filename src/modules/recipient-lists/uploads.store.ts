import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { firstIdAt, newId } from '../../kernel/ids.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { LONG_SPELLINGS } from '../../kernel/phone-numbers.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import {
  daysAfter,
  inListedOrder,
  inTransaction,
  jsonRows,
  listKeys,
  type WriteResult,
  HeldLease,
} from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';
import { addStored, ROW_BYTES, lockQuota } from '../quotas/index.js';
import { type InvalidRow, isInvalid, type UploadRow } from './domain/file-rows.js';
import { DAYS_KEPT, MOST_DUPLICATES_SHOWN, type Upload, type UploadFacts } from './domain/list-form.js';
import type { KeptRecipient } from './domain/recipient.js';
import { LEASE_MS, Leftovers, removeHead, UPLOADS, WRITERS_FENCE } from './leftovers.store.js';
import { type Reading, Readings } from './readings.store.js';
import { uploadErrors, UPLOADS_AT_ONCE } from './recipient-lists.errors.js';
import { HeadState, UploadEntity } from './tables.js';

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

/** Reads and removes uploads. */
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

  async part(accountId: number, page: Page): Promise<Listed<Upload>> {
    // hides expired uploads that the sweeper has not removed yet: ids ascend with time
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

  remove(tx: EntityManager, accountId: number, id: number): Promise<boolean> {
    return removeHead(tx, UPLOADS, accountId, id);
  }

  hold(accountId: number, id: number): Promise<Reading | null> {
    return READINGS.hold(this.dataSource, accountId, id);
  }

  peek(accountId: number, id: number): Promise<Reading | null> {
    return READINGS.peek(this.dataSource, accountId, id);
  }

  /** Call after each part. @returns false when rows may be gone: removed during a peek, or the lease of a hold has expired */
  keep(reading: Reading): Promise<boolean> {
    return READINGS.keep(this.dataSource, reading);
  }

  async skipsAfter(id: number, seq: number): Promise<({ seq: number } & SkippedRow)[]> {
    const rows = await this.dataSource.query<{ seq: number; fault: string }[]>(
      `SELECT seq, fault FROM recipient_upload_skips WHERE upload_id = ? AND seq > ?
       ORDER BY seq LIMIT ${ROWS_A_READ}`,
      [id, seq],
    );
    return rows.map(({ seq: row, fault }) => ({ seq: row, ...(JSON.parse(fault) as SkippedRow) }));
  }

  rowsAfter(id: number, seq: number): Promise<StoredRow[]> {
    return this.dataSource.query(
      `SELECT seq, number, variables FROM recipient_upload_rows WHERE upload_id = ? AND seq > ?
       ORDER BY seq LIMIT ${ROWS_A_READ}`,
      [id, seq],
    );
  }
}

/** `personKey` as SQL. */
const PERSON = `CASE WHEN number NOT LIKE '5%' THEN number ${LONG_SPELLINGS.map(
  ({ before, pattern }) =>
    `WHEN number REGEXP '${pattern}' THEN CONCAT(LEFT(number, ${before}), SUBSTRING(number, ${before + 2}))`,
).join(' ')} ELSE number END`;

/** A row that was left out, as stored. */
export interface SkippedRow extends Pick<InvalidRow, 'reason' | 'message'> {
  /** null = too long to keep */
  cells: readonly string[] | null;
}

const LONGEST_SKIP = 60_000;

/** Cells that are too long for their column are not kept. */
function skipText({ reason, message, cells }: InvalidRow): string {
  const text = JSON.stringify({ reason, message, cells });
  return Buffer.byteLength(text) <= LONGEST_SKIP ? text : JSON.stringify({ reason, message, cells: null });
}

const uploadOf = ({ id, keptRows, facts, createdBy, createdAt, dueAt }: UploadEntity): Upload => ({
  ...(JSON.parse(facts) as UploadFacts),
  id,
  rows: keptRows,
  createdBy,
  createdAt,
  expiresAt: dueAt,
});

/** Bytes of a recipient against the quota (reference/accounts#quotas). */
export const recipientBytes = ({ number, variables }: KeptRecipient): number =>
  ROW_BYTES + number.length + variablesBytes(variables);

export const variablesBytes = (variables: string | null): number =>
  variables === null ? 0 : Buffer.byteLength(variables);

/** The lease expired, and a sweeper took the rows as those of a dead writer. */
class UploadLost extends Error {
  override readonly name = 'UploadLost';

  constructor() {
    super('An upload was held up for so long that its rows were swept');
  }
}

export interface UploadDraft {
  id: number;
  accountId: number;
  lease: HeldLease;
  rows: number;
}

/** Writes uploads in bounded commits, hidden until the last; the sweeper removes a dead writer's rows (docs/decisions/0031). */
@Injectable()
export class UploadWriter {
  private readonly logger = new Logger(UploadWriter.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'STORAGE_PER_ACCOUNT' | 'UPLOADS_PER_ACCOUNT'>,
    private readonly leftovers: Leftovers,
  ) {}

  /** @throws AppError invalid `At most 100 uploads are allowed`, too_many */
  async begin(accountId: number, createdBy: string): Promise<UploadDraft> {
    const claimedAt = performance.now();
    const id = await inTransaction(this.dataSource, async (tx) => {
      const made = newId();
      await lockQuota(tx, accountId, 'uploads');
      await this.assertRoom(tx, accountId);
      await tx.query(
        `INSERT INTO recipient_uploads (id, account_id, state, kept_rows, facts, fence, lease_until, due_at, created_by,
           created_at)
         VALUES (?, ?, ${HeadState.Writing}, 0, '', ?, UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND,
           UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND, ?, UTC_TIMESTAMP(3))`,
        [made, accountId, WRITERS_FENCE, LEASE_MS * 1000, LEASE_MS * 1000, createdBy],
      );
      return made;
    });
    const lease = new HeldLease({
      leaseMs: LEASE_MS,
      claimedAt,
      renew: () => UPLOADS.leases.renew(this.dataSource, [id], WRITERS_FENCE, LEASE_MS),
      onFault: (error) => this.logger.warn({ err: safeError(error), upload: id }, 'a lease could not be renewed'),
    });
    return { id, accountId, lease, rows: 0 };
  }

  /** Appends rows in one commit; the lease and the account's count come last, to lock them briefly. @throws AppError invalid */
  async append(draft: UploadDraft, all: readonly (UploadRow | InvalidRow)[]): Promise<void> {
    const rows = all.filter((row): row is UploadRow => !isInvalid(row));
    const skips = all.filter(isInvalid).map((row): [number, string] => [row.row, skipText(row)]);
    await inTransaction(this.dataSource, async (tx) => {
      if (rows.length > 0)
        await tx.query(
          `INSERT INTO recipient_upload_rows (upload_id, seq, number, variables)
         SELECT ?, j.seq, j.number, j.variables FROM JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$[0]',
           number VARCHAR(32) CHARACTER SET ascii PATH '$[1]', variables TEXT CHARACTER SET utf8mb4 PATH '$[2]')) j`,
          [draft.id, jsonRows(rows.map(({ row, number, variables }) => [row, number, variables]))],
        );
      if (skips.length > 0)
        await tx.query(
          `INSERT INTO recipient_upload_skips (upload_id, seq, fault)
         SELECT ?, j.seq, j.fault FROM JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$[0]',
           fault TEXT CHARACTER SET utf8mb4 PATH '$[1]')) j`,
          [draft.id, jsonRows(skips)],
        );
      if (!(await UPLOADS.leases.renew(tx, [draft.id], WRITERS_FENCE, LEASE_MS))) throw new UploadLost();
      const kept = rows.reduce((sum, row) => sum + recipientBytes(row), 0);
      const bytes = skips.reduce((sum, [, text]) => sum + ROW_BYTES + Buffer.byteLength(text), kept);
      await tx.query('UPDATE recipient_uploads SET bytes = bytes + ? WHERE id = ?', [bytes, draft.id]);
      await addStored(tx, draft.accountId, bytes, this.environment.STORAGE_PER_ACCOUNT);
    });
    draft.rows += rows.length;
  }

  /** Counts rows whose person an earlier row has, with the first of their numbers. */
  async duplicates({ id, rows }: UploadDraft): Promise<Pick<UploadFacts, 'duplicates' | 'duplicatesCount'>> {
    const [found] = await this.dataSource.query<{ persons: number }[]>(
      `SELECT COUNT(DISTINCT ${PERSON}) AS persons FROM recipient_upload_rows WHERE upload_id = ?`,
      [id],
    );
    const duplicatesCount = rows - Number(found?.persons ?? 0);
    if (duplicatesCount === 0) return { duplicates: [], duplicatesCount };
    const again = await this.dataSource.query<{ number: string }[]>(
      `SELECT MIN(number) AS number FROM recipient_upload_rows WHERE upload_id = ?
       GROUP BY ${PERSON} HAVING COUNT(*) > 1 ORDER BY MIN(seq) LIMIT ${MOST_DUPLICATES_SHOWN}`,
      [id],
    );
    return { duplicates: again.map(({ number }) => number), duplicatesCount };
  }

  async finish(tx: EntityManager, { id, rows }: UploadDraft, facts: UploadFacts): Promise<void> {
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE recipient_uploads SET state = ${HeadState.Ready}, kept_rows = ?, facts = ?, lease_until = NULL,
         due_at = created_at + INTERVAL ${DAYS_KEPT} DAY
       WHERE id = ? AND fence = ? AND state = ${HeadState.Writing}`,
      [rows, JSON.stringify(facts), id, WRITERS_FENCE],
    );
    if (affectedRows === 0) throw new UploadLost();
  }

  /** Removes the rows of an upload that failed; never throws. */
  abandon({ id }: UploadDraft): Promise<void> {
    return this.leftovers.abandon(UPLOADS, id);
  }

  /** Checks the account's limits; uploads count until the sweeper has removed their rows. The caller holds the quota lock. */
  private async assertRoom(tx: EntityManager, accountId: number): Promise<void> {
    const [counts] = await tx.query<{ kept: number; writing: number }[]>(
      `SELECT COUNT(*) AS kept, COUNT(IF(state = ${HeadState.Writing} AND due_at > UTC_TIMESTAMP(3), 1, NULL)) AS writing
       FROM recipient_uploads WHERE account_id = ?`,
      [accountId],
    );
    if (Number(counts?.writing) >= UPLOADS_AT_ONCE) throw uploadErrors.atOnce();
    const most = this.environment.UPLOADS_PER_ACCOUNT;
    if (Number(counts?.kept) >= most) throw uploadErrors.tooMany(most);
  }
}
