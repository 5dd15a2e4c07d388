import { Injectable } from '@nestjs/common';
import { type Listed, MOST_COUNTED, offsetOf, type Page, pageTooDeep } from '../../../kernel/lists.js';
import { ReadDatabase, type ReadSession } from '../../../platform/database/index.js';

/** Two logs of which each account has its own part. */
const LOGS = [
  { table: 'audit_log', index: 'ix_audit_log_account', column: 'actor_id', kind: 'change' },
  { table: 'security_log', index: 'ix_security_log_account', column: 'account_id', kind: 'login' },
] as const;

/** Where an entry stands: in which log, and its id there. */
export interface LogPlace {
  kind: 'change' | 'login';
  id: number;
}

interface Row extends LogPlace {
  at: number;
}

/** Up to here a page without a cursor is passed over. */
const MOST_MERGED = MOST_COUNTED;
const BEGINNING = Number.MAX_SAFE_INTEGER;
const PLACE = /^(\d{1,16})\.(\d{1,16})$/;

/**
 * What an account did itself and who logged in as it, as one list: two indexes that end with the id are read from the
 * place in each on, and merged by time. A place is the last id of both that were shown.
 */
@Injectable()
export class OwnLog {
  constructor(private readonly reads: ReadDatabase) {}

  /**
   * Newest first.
   * @param kind one log alone; null = both
   * @throws AppError invalid `page is too deep: go on with cursor`
   */
  async part(accountId: number, kind: LogPlace['kind'] | null, page: Page): Promise<Listed<LogPlace>> {
    const offset = offsetOf(page);
    const session = await this.reads.session();
    const places = placesOf(page.after);
    const logs = LOGS.filter((log) => kind === null || log.kind === kind);
    const counts = await Promise.all(logs.map((log) => this.count(session, log, accountId)));
    const count = counts.reduce((sum, one) => sum + one, 0);
    if (offset >= MOST_MERGED) {
      if (count > MOST_COUNTED) throw pageTooDeep();
      return { items: [], total: count, isCapped: false, next: null };
    }
    const wanted = offset + page.limit + 1;
    const parts = await Promise.all(logs.map((log) => this.rows(session, log, accountId, places[log.kind], wanted)));
    // By time, and within one log by id, since its clock may have been set back: a place tells what was shown by id.
    const merged = mergedByTime(parts[0] ?? [], parts[1] ?? []);
    const items = merged.slice(offset, offset + page.limit);
    const last = { ...places };
    for (const { kind: log, id } of merged.slice(0, offset + items.length)) last[log] = id;
    return {
      items,
      total: Math.min(count, MOST_COUNTED),
      isCapped: count > MOST_COUNTED,
      next: merged.length > offset + page.limit ? `${last.change}.${last.login}` : null,
    };
  }

  private async rows(
    session: ReadSession,
    { table, index, column, kind }: (typeof LOGS)[number],
    accountId: number,
    below: number,
    limit: number,
  ): Promise<Row[]> {
    const rows = await session.query<{ id: number; at: string }[]>(
      `SELECT id, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', created_at) AS at FROM ${table} FORCE INDEX (${index})
       WHERE ${column} = ? AND id < ? ORDER BY id DESC LIMIT ?`,
      [accountId, below, limit],
    );
    return rows.map(({ id, at }) => ({ kind, id: Number(id), at: Number(at) }));
  }

  private async count(
    session: ReadSession,
    { table, index, column }: (typeof LOGS)[number],
    accountId: number,
  ): Promise<number> {
    const [row] = await session.query<{ total: string }[]>(
      `SELECT COUNT(*) AS total FROM (SELECT id FROM ${table} FORCE INDEX (${index}) WHERE ${column} = ?
       LIMIT ${MOST_COUNTED + 1}) k`,
      [accountId],
    );
    return Number(row?.total ?? 0);
  }
}

/** What a cursor of the list holds; another text is the beginning. */
function placesOf(after: Page['after']): Record<LogPlace['kind'], number> {
  const [, change, login] = PLACE.exec(String(after ?? '')) ?? [];
  return { change: Number(change ?? BEGINNING), login: Number(login ?? BEGINNING) };
}

/** Two lists, each in its own order, as one: the later of both heads comes first. */
function mergedByTime(changes: readonly Row[], logins: readonly Row[]): Row[] {
  const merged: Row[] = [];
  for (let change = 0, login = 0; change < changes.length || login < logins.length;) {
    const [one, other] = [changes[change], logins[login]];
    if (one && (!other || one.at >= other.at)) {
      merged.push(one);
      change += 1;
    } else if (other) {
      merged.push(other);
      login += 1;
    }
  }
  return merged;
}
