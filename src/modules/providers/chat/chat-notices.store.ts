import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import type { Listed, Page } from '../../../kernel/lists.js';
import { inListedOrder, inTransaction, listKeys } from '../../../platform/database/index.js';
import type { ChatAccount } from '../chat-account.js';
import type { ChatNotice } from '../drivers/meta-cloud/callbacks.js';
import { ChatNoticeEntity } from '../tables.js';

/** Most notices stored of a chat account; older ones are deleted. Each has at most 16 KB and is kept for 90 days. */
export const MOST_NOTICES = 5_000;
const LONGEST_BODY = 16 * 1024;
const DIGEST_BYTES = 16;
/** Most rows of one callback; further parts are counted only. */
const MOST_AT_ONCE = 500;
const ROWS_A_STATEMENT = 50;
const MOST_COUNTS = 200;
/** Most kinds of a chat account; parts of further ones are stored as `OTHER`. */
export const MOST_KINDS = 100;
const OTHER = 'other';
const COLUMNS = ['route_id', 'account_id', 'kind', 'digest', 'body', 'bytes', 'received_at'];
const ROW = `(${COLUMNS.map(() => '?').join(', ')})`;

export interface KindCount {
  kind: string;
  count: number;
  lastAt: Date;
}

/** Parts of providers' callbacks that the service does not act on: stored, and counted by kind (reference/providers#notices). */
@Injectable()
export class ChatNotices {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores each part once, although the provider repeats callbacks. */
  async keep(account: Pick<ChatAccount, 'id' | 'accountId'>, notices: readonly ChatNotice[], at: Date): Promise<void> {
    if (notices.length === 0) return;
    await inTransaction(this.dataSource, async (tx) => {
      const kindOf = await this.boundedKinds(tx, account.id, at);
      const bounded = notices.map(({ kind, body }) => ({ kind: kindOf(kind), body }));
      const rows = bounded.slice(0, MOST_AT_ONCE).map(({ kind, body }) => rowOf(kind, JSON.stringify(body)));
      const counts = new Map(bounded.map(({ kind }) => [kind, 0]));
      // Locks the counts: a repeat that comes at this moment waits, and then finds the rows.
      await count(tx, account.id, counts, at);
      for (const { kind } of bounded.slice(MOST_AT_ONCE)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
        const known = await this.known(tx, account.id, rows.slice(from, from + ROWS_A_STATEMENT));
        const some = rows
          .slice(from, from + ROWS_A_STATEMENT)
          .filter(({ digest }) => !known.has(digest.toString('hex')));
        for (const { kind } of some) counts.set(kind, (counts.get(kind) ?? 0) + 1);
        await insert(tx, account, some, at);
      }
      await count(tx, account.id, counts, at);
      await this.deleteOldest(tx, account.id);
    });
  }

  /** The most frequent kinds over all accounts. */
  async counts(): Promise<KindCount[]> {
    const rows: { kind: string; total: string; lastAt: Date }[] = await this.dataSource.query(
      `SELECT kind, SUM(count) AS total, MAX(IF(count > 0, last_at, NULL)) AS lastAt FROM chat_notice_counts
       GROUP BY kind HAVING total > 0 ORDER BY total DESC, kind LIMIT ?`,
      [MOST_COUNTS],
    );
    return rows.map(({ kind, total, lastAt }) => ({ kind, count: Number(total), lastAt }));
  }

  /** Stored notices, newest first. */
  async list(kind: string | null, page: Page): Promise<Listed<ChatNoticeEntity>> {
    const range = kind === null ? { where: '', values: [] } : { where: 'kind = ?', values: [kind] };
    const index = kind === null ? 'PRIMARY' : 'ix_chat_notices_kind';
    const list = { table: 'chat_notices', index, key: 'id', order: 'DESC', ranges: [range] } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(ChatNoticeEntity).findBy({ id: In(ids.items) });
    return inListedOrder(ids, rows, ({ id }) => Number(id));
  }

  /** The kind under which a part is stored. Locks the kinds of the chat account until the transaction ends. */
  private async boundedKinds(tx: EntityManager, routeId: number, at: Date): Promise<(kind: string) => string> {
    await count(tx, routeId, new Map([[OTHER, 0]]), at);
    const rows: { kind: string }[] = await tx.query('SELECT kind FROM chat_notice_counts WHERE route_id = ? LIMIT ?', [
      routeId,
      2 * MOST_KINDS,
    ]);
    const kinds = new Set(rows.map(({ kind }) => kind));
    return (kind) => {
      if (!kinds.has(kind) && kinds.size >= MOST_KINDS) return OTHER;
      kinds.add(kind);
      return kind;
    };
  }

  private async known(tx: EntityManager, routeId: number, rows: readonly NoticeRow[]): Promise<Set<string>> {
    const found: { digest: Buffer }[] = await tx.query(
      'SELECT digest FROM chat_notices WHERE route_id = ? AND digest IN (?)',
      [routeId, rows.map(({ digest }) => digest)],
    );
    return new Set(found.map(({ digest }) => digest.toString('hex')));
  }

  private async deleteOldest(tx: EntityManager, routeId: number): Promise<void> {
    const [last]: { id: number }[] = await tx.query(
      'SELECT id FROM chat_notices FORCE INDEX (ix_chat_notices_route) WHERE route_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?',
      [routeId, MOST_NOTICES],
    );
    if (last) {
      await tx.query('DELETE FROM chat_notices WHERE route_id = ? AND id <= ? ORDER BY id LIMIT ?', [
        routeId,
        last.id,
        MOST_AT_ONCE,
      ]);
    }
  }
}

interface NoticeRow {
  kind: string;
  digest: Buffer;
  body: string;
  bytes: number;
}

function rowOf(kind: string, json: string): NoticeRow {
  const bytes = Buffer.from(json);
  const digest = createHash('sha256').update(`${kind}\n`).update(bytes).digest().subarray(0, DIGEST_BYTES);
  // A character cut in its middle becomes a replacement character.
  const body = bytes.length > LONGEST_BODY ? bytes.subarray(0, LONGEST_BODY).toString() : json;
  return { kind, digest, body, bytes: bytes.length };
}

async function insert(
  tx: EntityManager,
  { id, accountId }: Pick<ChatAccount, 'id' | 'accountId'>,
  rows: readonly NoticeRow[],
  at: Date,
): Promise<void> {
  if (rows.length === 0) return;
  // A callback may hold the same part twice.
  await tx.query(
    `INSERT INTO chat_notices (${COLUMNS.join(', ')}) VALUES ${rows.map(() => ROW).join(', ')}
     ON DUPLICATE KEY UPDATE digest = chat_notices.digest`,
    rows.flatMap(({ kind, digest, body, bytes }) => [id, accountId, kind, digest, body, bytes, at]),
  );
}

/** Rows of 0 lock their kinds; they are no news of them. */
async function count(tx: EntityManager, routeId: number, counts: ReadonlyMap<string, number>, at: Date): Promise<void> {
  // Sorted by key, so that concurrent callbacks cannot deadlock.
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  await tx.query(
    `INSERT INTO chat_notice_counts (route_id, kind, count, last_at) VALUES ${rows.map(() => '(?, ?, ?, ?)').join(', ')}
     ON DUPLICATE KEY UPDATE last_at = IF(VALUES(count) > 0, VALUES(last_at), last_at), count = count + VALUES(count)`,
    rows.flatMap(([kind, times]) => [routeId, kind, times, at]),
  );
}
