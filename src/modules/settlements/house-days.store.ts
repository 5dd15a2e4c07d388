import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { firstIdAt, timeOfId } from '../../kernel/ids.js';
import { again, daysAfter, startOfDay } from '../../platform/database/index.js';
import { canonical, type Json, SETTLEMENT_FORMAT } from './encoding.js';
import { leafHash, LEAVES_A_PAGE, pathOf, rootOf, sha256, TreeHead } from './merkle.js';
import { sqlMs } from './settled-rows.js';
import type { SigningKey } from './settlement-key.js';
import { LAST_RESTORE, type Restore } from './settlements.store.js';
import { SettlementDayEntity, SettlementDayPageEntity, type SettlementEntity } from './tables.js';

/** A day is sealed once no transaction of it can be open. */
const SEALED_AFTER_MS = 600_000;
/** Ten million settlements. */
const MOST_PAGES = 10_000;
const AUDIT_ROWS_A_READ = 2_000;

/** The signed statement of a day (UTC). */
export interface DayStatement {
  format: string;
  type: 'day';
  day: string;
  /** from 1 */
  number: number;
  previous: string | null;
  restored_at: string | null;
  issued_at: string;
  settlements: { count: number; root: string };
  audit: { after: number; last: number; count: number; root: string };
  key: string;
}

interface AuditRow {
  id: number;
  actor: string;
  assignedUser: string | null;
  apiKey: string | null;
  accountId: number | null;
  action: string;
  subject: string;
  details: string;
  createdAt: number;
}

export interface AuditSum {
  last: number;
  count: number;
  root: string;
}

const textOf = (day: Date): string => day.toISOString().slice(0, 10);

/** Signs, once a day, what all accounts were settled and what the audit log has: later changes of either are seen. */
@Injectable()
export class HouseDays {
  private readonly logger = new Logger(HouseDays.name);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Seals each day that is over. Two processes may do so at once: the first of a day wins. */
  async sealDue(key: SigningKey, isStopped: () => boolean = () => false): Promise<void> {
    const days = this.dataSource.getRepository(SettlementDayEntity);
    while (!isStopped()) {
      const [last] = await days.find({ order: { day: 'DESC' }, take: 1 });
      const day = last
        ? daysAfter(new Date((JSON.parse(last.statement) as DayStatement).day), 1)
        : daysAfter(startOfDay(now()), -1);
      if (daysAfter(day, 1).getTime() + SEALED_AFTER_MS > now().getTime()) return;
      await this.seal(day, last ?? null, key);
    }
  }

  private async seal(day: Date, before: SettlementDayEntity | null, key: SigningKey): Promise<void> {
    const name = textOf(day);
    const end = daysAfter(day, 1);
    const settled = await this.settledIn(name, before?.lastId ?? 0, firstIdAt(end));
    const auditAfter = before?.auditLast ?? 0;
    const audit = await this.auditIn(auditAfter, { before: end });
    const [restore = null] = await this.dataSource.query<Restore[]>(LAST_RESTORE);
    const isRestored = before !== null && restore !== null && restore.id !== before.restoreId;
    const statement: DayStatement = {
      format: SETTLEMENT_FORMAT,
      type: 'day',
      day: name,
      number: (before?.number ?? 0) + 1,
      previous: before?.digest.toString('hex') ?? null,
      restored_at: isRestored ? restore.restoredAt.toISOString() : null,
      issued_at: now().toISOString(),
      settlements: { count: settled.count, root: settled.root },
      audit: { after: auditAfter, ...audit },
      key: key.id,
    };
    const text = canonical(statement as unknown as Json);
    await this.dataSource.query(
      again(`INSERT IGNORE INTO settlement_days
         (day, number, last_id, audit_last, restore_id, statement, digest, signature) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
      [name, statement.number, settled.last, audit.last, restore?.id ?? null, text, sha256(text), key.sign(text)],
    );
    this.logger.log({ day: name, settlements: settled.count, auditEntries: audit.count }, 'a day was sealed');
  }

  private async settledIn(day: string, after: number, below: number) {
    const tree = new TreeHead();
    let [last, count] = [after, 0];
    for (let page = 0; ; page++) {
      const rows = await this.digests(last, below, LEAVES_A_PAGE);
      const root = rootOf(rows.map(leafOf));
      if (rows.length > 0) {
        tree.append(root);
        await this.dataSource.query(
          again('INSERT IGNORE INTO settlement_day_pages (day, page, after_id, root) VALUES (?, ?, ?, ?)'),
          [day, page, last, root],
        );
      }
      count += rows.length;
      last = rows.at(-1)?.id ?? last;
      if (rows.length < LEAVES_A_PAGE) return { last, count, root: tree.root.toString('hex') };
    }
  }

  /** Entries of the audit log behind one, in order: those of before a time, or up to an id. */
  async auditIn(after: number, until: { before: Date } | { last: number }): Promise<AuditSum> {
    const tree = new TreeHead();
    let last = after;
    const isIn = (row: AuditRow): boolean =>
      'last' in until ? row.id <= until.last : row.createdAt < until.before.getTime();
    for (;;) {
      const rows: AuditRow[] = await this.dataSource.query(
        `SELECT id, actor, assigned_user AS assignedUser, api_key AS apiKey, account_id AS accountId, action, subject, details,
           ${sqlMs('created_at')} AS createdAt
         FROM audit_log WHERE id > ? ORDER BY id LIMIT ${AUDIT_ROWS_A_READ}`,
        [last],
      );
      const within = rows.findIndex((row) => !isIn(row));
      for (const row of within < 0 ? rows : rows.slice(0, within)) {
        tree.append(leafHash(auditText(row)));
        last = row.id;
      }
      if (within >= 0 || rows.length < AUDIT_ROWS_A_READ)
        return { last, count: tree.size, root: tree.root.toString('hex') };
    }
  }

  /** The place of a settlement in its day; null = the day is not sealed. */
  async placeOf({ id }: SettlementEntity): Promise<{ day: SettlementDayEntity; index: number; path: Buffer[] } | null> {
    const name = textOf(startOfDay(timeOfId(id)));
    const day = await this.dataSource.getRepository(SettlementDayEntity).findOneBy({ day: name });
    if (!day || id > day.lastId) return null;
    const pages = await this.dataSource
      .getRepository(SettlementDayPageEntity)
      .find({ where: { day: name }, order: { page: 'ASC' }, take: MOST_PAGES });
    const page = pages.findLast(({ afterId }) => afterId < id);
    if (!page) return null;
    const rows = await this.digests(page.afterId, day.lastId + 1, LEAVES_A_PAGE);
    const place = rows.findIndex((row) => row.id === id);
    if (place < 0) return null;
    const roots = pages.map(({ root }) => root);
    const path = [...pathOf(rows.map(leafOf), place), ...pathOf(roots, page.page)];
    return { day, index: page.page * LEAVES_A_PAGE + place, path };
  }

  private digests(after: number, below: number, limit: number): Promise<{ id: number; digest: Buffer }[]> {
    return this.dataSource.query('SELECT id, digest FROM settlements WHERE id > ? AND id < ? ORDER BY id LIMIT ?', [
      after,
      below,
      limit,
    ]);
  }
}

/** The leaf of a settlement: its digest, in hexadecimal digits. */
const leafOf = ({ digest }: { digest: Buffer }): Buffer => leafHash(digest.toString('hex'));

const auditText = (row: AuditRow): string =>
  JSON.stringify([
    ...[row.id, row.actor, row.assignedUser, row.apiKey, row.accountId, row.action, row.subject, row.details],
    row.createdAt,
  ]);
