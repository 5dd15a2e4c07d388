import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { type Listed, MOST_COUNTED, offsetOf, type Page, pageTooDeep } from '../../../kernel/lists.js';
import { ReadDatabase, type ReadSession } from '../../../platform/database/index.js';
import { AuditEntryEntity, SecurityEntryEntity } from '../tables.js';
import { changeEntry, type LogEntryData, loginEntry, type LogKind, type LogReader, staffEntry } from './logs.dto.js';

/** A log table with an index on account and id. */
export interface LogSource {
  /** unique; part of cursors */
  name: string;
  kind: LogKind;
  table: string;
  index: string;
  column: string;
  entries(ids: readonly number[], reader: LogReader): Promise<Map<number, LogEntryData>>;
}

interface LogPosition {
  source: LogSource;
  id: number;
  /** epoch microseconds */
  at: number;
}

/** Maximum offset of a page without a cursor. */
const MOST_MERGED = MOST_COUNTED;
const BEGINNING = Number.MAX_SAFE_INTEGER;
const POSITION = /(\w+)\.(\d{1,16})/g;

/** Merges tables, registered by modules, into one log by time; a cursor holds each table's last shown id. */
@Injectable()
export class OwnLog {
  private readonly sources: LogSource[] = [];

  constructor(private readonly reads: ReadDatabase) {}

  register(...sources: LogSource[]): void {
    this.sources.push(...sources);
  }

  /** Newest first; `kind` null = all. @throws AppError invalid `page is too deep: go on with cursor` */
  async part(accountId: number, kind: LogKind | null, page: Page, reader: LogReader): Promise<Listed<LogEntryData>> {
    const offset = offsetOf(page);
    const session = await this.reads.session();
    const positions = positionsOf(page.after);
    const sources = this.sources.filter((source) => kind === null || source.kind === kind);
    const counts = await Promise.all(sources.map((source) => this.count(session, source, accountId)));
    const count = counts.reduce((sum, one) => sum + one, 0);
    if (offset >= MOST_MERGED) {
      if (count > MOST_COUNTED) throw pageTooDeep();
      return { items: [], total: count, isCapped: false, next: null };
    }
    const wanted = offset + page.limit + 1;
    const parts = await Promise.all(
      sources.map((source) => this.rows(session, source, accountId, positions.get(source.name) ?? BEGINNING, wanted)),
    );
    // Within one table sort by id: cursors use ids, and the clock may have been set back.
    const merged = mergedByTime(parts, wanted);
    const shown = merged.slice(offset, offset + page.limit);
    for (const { source, id } of merged.slice(0, offset + shown.length)) positions.set(source.name, id);
    return {
      items: await this.entries(shown, reader),
      total: Math.min(count, MOST_COUNTED),
      isCapped: count > MOST_COUNTED,
      next: merged.length > offset + page.limit ? [...positions].map((position) => position.join('.')).join('.') : null,
    };
  }

  private async entries(positions: readonly LogPosition[], reader: LogReader): Promise<LogEntryData[]> {
    const sources = [...new Set(positions.map(({ source }) => source))];
    const found = await Promise.all(
      sources.map((source) =>
        source.entries(
          positions.flatMap((position) => (position.source === source ? [position.id] : [])),
          reader,
        ),
      ),
    );
    const bySource = new Map(sources.map((source, index) => [source, found[index]]));
    return positions.flatMap(({ source, id }) => bySource.get(source)?.get(id) ?? []);
  }

  private async rows(
    session: ReadSession,
    source: LogSource,
    accountId: number,
    below: number,
    limit: number,
  ): Promise<LogPosition[]> {
    const { table, index, column } = source;
    const rows = await session.query<{ id: number; at: string }[]>(
      `SELECT id, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', created_at) AS at FROM ${table} FORCE INDEX (${index})
       WHERE ${column} = ? AND id < ? ORDER BY id DESC LIMIT ?`,
      [accountId, below, limit],
    );
    return rows.map(({ id, at }) => ({ source, id: Number(id), at: Number(at) }));
  }

  private async count(session: ReadSession, { table, index, column }: LogSource, accountId: number): Promise<number> {
    const [row] = await session.query<{ total: string }[]>(
      `SELECT COUNT(*) AS total FROM (SELECT id FROM ${table} FORCE INDEX (${index}) WHERE ${column} = ?
       LIMIT ${MOST_COUNTED + 1}) k`,
      [accountId],
    );
    return Number(row?.total ?? 0);
  }
}

/** Parses a cursor; invalid text means the start. */
function positionsOf(after: Page['after']): Map<string, number> {
  return new Map(Array.from(String(after ?? '').matchAll(POSITION), ([, name = '', id]) => [name, Number(id)]));
}

/** Repeatedly takes the latest head, keeping each list's own order. */
function mergedByTime(lists: readonly (readonly LogPosition[])[], most: number): LogPosition[] {
  const heads = lists.map(() => 0);
  const merged: LogPosition[] = [];
  while (merged.length < most) {
    let [latest, from]: [LogPosition | undefined, number] = [undefined, 0];
    for (const [index, list] of lists.entries()) {
      const head = list[heads[index] ?? 0];
      if (head && (!latest || head.at > latest.at)) [latest, from] = [head, index];
    }
    if (!latest) break;
    merged.push(latest);
    heads[from] = (heads[from] ?? 0) + 1;
  }
  return merged;
}

/** Registers the log of the account's changes, staff's changes and logins. */
@Injectable()
export class AccountLogs {
  constructor(@InjectDataSource() dataSource: DataSource, log: OwnLog) {
    const changes = (ids: readonly number[]): Promise<AuditEntryEntity[]> =>
      dataSource.getRepository(AuditEntryEntity).findBy({ id: In(ids) });
    const audit = { kind: 'change', table: 'audit_log' } as const;
    const own: LogSource = {
      ...audit,
      name: 'change',
      index: 'ix_audit_log_account',
      column: 'actor_id',
      entries: async (ids, { timeZone }) =>
        new Map((await changes(ids)).map((row) => [row.id, changeEntry(row, timeZone)])),
    };
    const byStaff: LogSource = {
      ...audit,
      name: 'staff',
      index: 'ix_audit_log_concerned',
      column: 'account_id',
      entries: async (ids, { timeZone }) =>
        new Map((await changes(ids)).map((row) => [row.id, staffEntry(row, timeZone)])),
    };
    const logins: LogSource = {
      name: 'login',
      kind: 'login',
      table: 'security_log',
      index: 'ix_security_log_account',
      column: 'account_id',
      entries: async (ids, { timeZone }) => {
        const rows = await dataSource.getRepository(SecurityEntryEntity).findBy({ id: In(ids) });
        return new Map(rows.map((row) => [row.id, loginEntry(row, timeZone)]));
      },
    };
    log.register(own, byStaff, logins);
  }
}
