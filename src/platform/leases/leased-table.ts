import type { EntityManager } from 'typeorm';
import { again, type WriteResult } from '../database/index.js';

/** The pool or a transaction. */
type Source = Pick<EntityManager, 'query'>;

/** How a table keeps its leases. */
export interface LeaseColumns {
  table: string;
  /** of the primary key, in the order in which keys are given */
  key: readonly string[];
  /** moments that are moved with the lease, such as the one at which the row is looked at again */
  moved?: readonly string[];
}

/** What a claim asks and brings besides the lease. */
export interface ClaimTerms {
  /** the row must still have this fence: the claimer has decided by what it read under it */
  fence?: number;
  /** columns that are written with the claim */
  set?: Readonly<Record<string, number>>;
  /** SQL: a further condition */
  onlyIf?: string;
}

/** A row that a worker holds, or is to. */
export interface LeasedRow {
  /** of the primary key */
  key: readonly number[];
  fence: number;
  /** columns that are written with the claim */
  set?: Readonly<Record<string, number>>;
}

/** Rows of another table that are written by the statement of a claim, each with a leased row that is taken. */
export interface ClaimedAlongside {
  /** SQL: joined to `j`, the rows that are asked for, and so locked before those that are leased */
  join: string;
  set: readonly string[];
  /** of the parameters of `join`, then of `set` */
  values: readonly [join: readonly unknown[], set: readonly unknown[]];
  /** rows that are written when all are taken */
  rows: number;
}

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
};

const FROM_NOW = 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';

/** SQL: no worker holds the row. @param alias of its table in the statement */
export const isFree = (alias = ''): string => {
  const column = alias === '' ? 'lease_until' : `${alias}.lease_until`;
  return `(${column} IS NULL OR ${column} <= UTC_TIMESTAMP(3))`;
};

/**
 * A table whose rows are held by one worker at a time: `lease_until` says how long the row is held, and `fence` counts the
 * claims, so that a worker that was held up longer than its lease writes nothing any more. One conditional UPDATE decides,
 * by the clock of the database; on a cluster too, because it writes what it decides by.
 */
export class LeasedTable {
  private readonly leased: string;
  private readonly moments: number;
  private readonly isKey: string;

  constructor(private readonly columns: LeaseColumns) {
    const moments = ['lease_until', ...(columns.moved ?? [])];
    this.moments = moments.length;
    this.leased = moments.map((column) => `${column} = ${FROM_NOW}`).join(', ');
    this.isKey = columns.key.map((column) => `${column} = ?`).join(' AND ');
  }

  /** Takes the lease of a row that is free; its fence rises by one. @returns false when another worker was faster */
  async claim(source: Source, key: readonly number[], leaseMs: number, terms: ClaimTerms = {}): Promise<boolean> {
    const { fence, set = {}, onlyIf } = terms;
    const changes = ['fence = fence + 1', ...Object.keys(set).map((column) => `${column} = ?`), this.leased];
    const conditions = [
      this.isKey,
      ...(fence === undefined ? [] : ['fence = ?']),
      ...(onlyIf ? [onlyIf] : []),
      isFree(),
    ];
    const result: WriteResult = await source.query(
      `UPDATE ${this.columns.table} SET ${changes.join(', ')} WHERE ${conditions.join(' AND ')}`,
      [...Object.values(set), ...this.until(leaseMs), ...key, ...(fence === undefined ? [] : [fence])],
    );
    return result.affectedRows === 1;
  }

  /** Keeps the row for as long again. @returns false when it was lost; one that was given back stays given back */
  async renew(source: Source, key: readonly number[], fence: number, leaseMs: number): Promise<boolean> {
    const result: WriteResult = await source.query(
      again(
        `UPDATE ${this.columns.table} SET ${this.leased} WHERE ${this.isKey} AND fence = ? AND lease_until IS NOT NULL`,
      ),
      [...this.until(leaseMs), ...key, fence],
    );
    return result.affectedRows === 1;
  }

  /**
   * Takes the leases of those rows that are free and still have the fence that was read, in one statement; another tells
   * which those were if they are not all: also when the first one's answer was lost, and it has found its own claims.
   * @param rows in any order; all of them bring the same further columns
   * @param mark the one of these columns that names the claim
   * @param alongside where they belong to rows that begin with the claim
   * @returns which of the rows were taken, by their place
   */
  async claimAll(
    source: Source,
    rows: readonly LeasedRow[],
    leaseMs: number,
    mark: string,
    alongside?: ClaimedAlongside,
  ): Promise<ReadonlySet<number>> {
    if (rows.length === 0) return new Set();
    const { table } = this.columns;
    const set = Object.keys(rows[0]?.set ?? {});
    const own = ['t.fence = t.fence + 1', ...set.map((column) => `t.${column} = j.${column}`), ...this.moved('t.')];
    const changes = [...(alongside?.set ?? []), ...own];
    const [ofJoin, ofSet] = alongside?.values ?? [[], []];
    const result: WriteResult = await source.query(
      again(`UPDATE ${this.rowsTable(set)} ${alongside?.join ?? ''} STRAIGHT_JOIN ${table} t FORCE INDEX (PRIMARY) ON ${this.isRow} AND t.fence = j.fence
       SET ${changes.join(', ')} WHERE ${isFree('t')}`),
      [this.inOrder(rows, set), ...ofJoin, ...ofSet, ...this.until(leaseMs)],
    );
    if (result.affectedRows === rows.length + (alongside?.rows ?? 0)) return new Set(rows.keys());
    const taken: { n: number }[] = await source.query(
      `SELECT j.place AS n FROM ${this.rowsTable([mark])} STRAIGHT_JOIN ${table} t FORCE INDEX (PRIMARY) ON ${this.isRow}
         AND t.fence = j.fence + 1 AND t.${mark} = j.${mark}`,
      [this.inOrder(rows, [mark])],
    );
    return new Set(taken.map(({ n }) => n));
  }

  /** Keeps rows for as long again. @returns false when one of them was lost; what was given back stays given back */
  async renewAll(source: Source, rows: readonly LeasedRow[], leaseMs: number): Promise<boolean> {
    const result: WriteResult = await source.query(
      again(`UPDATE ${this.rowsTable([])} STRAIGHT_JOIN ${this.columns.table} t FORCE INDEX (PRIMARY) ON ${this.isRow} AND t.fence = j.fence
       SET ${this.moved('t.').join(', ')} WHERE t.lease_until IS NOT NULL`),
      [this.inOrder(rows, []), ...this.until(leaseMs)],
    );
    return result.affectedRows === rows.length;
  }

  /**
   * Takes rows of a key of one column that this transaction has locked and found free.
   * @throws where that is not so
   */
  async claimLocked(tx: Source, ids: readonly number[], leaseMs: number): Promise<void> {
    if (ids.length === 0) return;
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE ${this.columns.table} SET fence = fence + 1, ${this.leased} WHERE ${this.columns.key[0]} IN (?) AND ${isFree()}`,
      [...this.until(leaseMs), ids],
    );
    if (affectedRows !== ids.length) throw new Error('A row that was locked was not free');
  }

  /** SQL: the rows that are asked for, as `j`. Joined by a forced key: a scan of a small table would wait for rows of others. */
  private rowsTable(set: readonly string[]): string {
    const names = ['place', 'fence', ...this.columns.key, ...set];
    return `JSON_TABLE(?, '$[*]' COLUMNS (${names.map((name, index) => `${name} BIGINT PATH '$[${index}]'`).join(', ')})) j`;
  }

  /** By key, which is the order in which they are locked. */
  private inOrder(rows: readonly LeasedRow[], set: readonly string[]): string {
    const places = rows.map(({ key, fence, set: values = {} }, place) => ({
      key,
      row: [place, fence, ...key, ...set.map((column) => values[column])],
    }));
    places.sort((a, b) => compare(a.key, b.key));
    return JSON.stringify(places.map(({ row }) => row));
  }

  private get isRow(): string {
    return this.columns.key.map((column) => `t.${column} = j.${column}`).join(' AND ');
  }

  private moved(prefix: string): string[] {
    return ['lease_until', ...(this.columns.moved ?? [])].map((column) => `${prefix}${column} = ${FROM_NOW}`);
  }

  private until(leaseMs: number): number[] {
    return Array.from({ length: this.moments }, () => leaseMs * 1000);
  }
}
