import {
  type Listed,
  MOST_COUNTED,
  MOST_PASSED_OVER,
  NOTHING_LISTED,
  offsetOf,
  type Page,
  pageTooDeep,
  type ListPosition,
  withTotalShown,
} from '../../kernel/lists.js';
import type { Asked } from './day-partitions.js';

/** Consecutive rows of an index, in list order: those with these values in its first columns. */
export interface KeyRange {
  where: string;
  values: readonly unknown[];
}

/** A list by keys: merged ranges of one index (docs/decisions/0027). */
export interface KeyedList {
  table: string;
  /** forced: otherwise the optimizer may scan the primary key */
  index: string;
  /** last column of the index, unique in the table */
  key: 'id' | 'number';
  order: 'ASC' | 'DESC';
  /** disjoint; none = an empty list */
  ranges: readonly KeyRange[];
  /** condition without an index: filters rows, newest first, up to `MOST_FILTERED` per answer */
  filter?: KeyRange;
}

export const MOST_FILTERED = 10_000;
/** Maximum OFFSET of one statement. */
const HOP = 10_000;

/** Keys of a page; no statement skips over 10,000. @param mostPassedOver entries before a page @throws AppError too deep */
export async function listKeys<Key extends ListPosition>(
  source: Asked,
  list: KeyedList,
  page: Page,
  mostPassedOver = MOST_PASSED_OVER,
): Promise<Listed<Key>> {
  if (list.ranges.length === 0) return NOTHING_LISTED;
  const reader = new KeyReader<Key>(source, list);
  if (list.filter) return filtered(reader, page);
  const [count, keys] = await Promise.all([reader.count(), keysOf(reader, page, mostPassedOver)]);
  const items = keys.slice(0, page.limit);
  return withTotalShown(page, {
    items,
    total: Math.min(count, MOST_COUNTED),
    isCapped: count > MOST_COUNTED,
    next: keys.length > page.limit ? (items.at(-1) ?? null) : null,
  });
}

/** Reads one key more than the page holds, to detect a next page. */
async function keysOf<Key extends ListPosition>(reader: KeyReader<Key>, page: Page, most: number): Promise<Key[]> {
  let after = page.after as Key | null;
  let offset = offsetOf(page);
  for (let passed = 0; offset > HOP; offset -= HOP, passed += HOP) {
    after = await reader.nth(after, HOP);
    if (after === null) return [];
    if (passed >= most) throw pageTooDeep();
  }
  return reader.keys(after, offset, page.limit + 1);
}

/** Filters from the page's start on. Every page has the total of the list's first rows, capped when more follow; see `next`. */
async function filtered<Key extends ListPosition>(reader: KeyReader<Key>, page: Page): Promise<Listed<Key>> {
  const first = await reader.hits(null);
  const { keys, end } = page.after === null ? first : await reader.hits(page.after as Key);
  const offset = offsetOf(page);
  const items = keys.slice(offset, offset + page.limit);
  const next = keys.length > offset + page.limit ? (items.at(-1) ?? null) : end;
  return { items, total: first.keys.length, isCapped: first.end !== null, next };
}

class KeyReader<Key extends ListPosition> {
  private readonly beyond: string;

  constructor(
    private readonly source: Asked,
    private readonly list: KeyedList,
  ) {
    this.beyond = `${list.key} ${list.order === 'ASC' ? '>' : '<'} ?`;
  }

  async count(): Promise<number> {
    const { sql, values } = this.merged(null, MOST_COUNTED + 1);
    const rows: { total: string }[] = await this.source.query(`SELECT COUNT(*) AS total FROM (${sql}) k`, values);
    return Number(rows[0]?.total ?? 0);
  }

  async keys(after: Key | null, offset: number, limit: number): Promise<Key[]> {
    const { key, order } = this.list;
    const { sql, values } = this.merged(after, offset + limit);
    const rows: { position: Key }[] = await this.source.query(
      `SELECT ${key} AS position FROM (${sql}) k ORDER BY ${key} ${order} LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
    return rows.map(({ position }) => position);
  }

  /** The key `rows` rows after `after`; null when there are fewer. */
  async nth(after: Key | null, rows: number): Promise<Key | null> {
    return (await this.keys(after, rows - 1, 1))[0] ?? null;
  }

  /** Keys of the next rows that match `filter`. `end` = last row examined, null at the end of the list */
  async hits(after: Key | null): Promise<{ keys: Key[]; end: Key | null }> {
    const { table, key, order, filter } = this.list;
    const [end, behind] = await this.keys(after, MOST_FILTERED - 1, 2);
    const { sql, values } = this.merged(after, MOST_FILTERED);
    const rows: { position: Key }[] = await this.source.query(
      `SELECT STRAIGHT_JOIN t.${key} AS position
       FROM (SELECT ${key} FROM (${sql}) m ORDER BY ${key} ${order} LIMIT ${MOST_FILTERED}) k
       JOIN ${table} t ON t.${key} = k.${key} WHERE ${filter?.where ?? '1 = 1'} ORDER BY t.${key} ${order}`,
      [...values, ...(filter?.values ?? [])],
    );
    return { keys: rows.map(({ position }) => position), end: behind === undefined ? null : (end ?? null) };
  }

  /** The first keys of each range contain the first keys of the list. */
  private merged(after: Key | null, limit: number): { sql: string; values: unknown[] } {
    const { table, index, key, order, ranges } = this.list;
    const values: unknown[] = [];
    const parts = ranges.map((range) => {
      const where = [range.where, after === null ? '' : this.beyond].filter((part) => part !== '').join(' AND ');
      values.push(...range.values, ...(after === null ? [] : [after]), limit);
      return `(SELECT ${key} FROM ${table} FORCE INDEX (${index}) ${where && `WHERE ${where}`}
        ORDER BY ${key} ${order} LIMIT ?)`;
    });
    return { sql: parts.join(' UNION ALL '), values };
  }
}

/** Rows in the order of the listed keys; deleted rows are left out. */
export function inListedOrder<Key extends ListPosition, Row>(
  listed: Listed<Key>,
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): Listed<Row> {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return { ...listed, items: listed.items.flatMap((key) => byKey.get(key) ?? []) };
}
