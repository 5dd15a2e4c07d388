import type { DataSource, EntityManager } from 'typeorm';
import { again } from './faults.js';
import type { WriteResult } from './rows.js';
import { inTransaction } from './transaction.js';

/** Renewals per lease. Sending stops before the last sixth: clocks and commits need a margin. */
const RENEWALS = 3;
const SAFE_SHARE = 5 / 6;

export interface LeaseTerms {
  leaseMs: number;
  /** on the clock of `performance.now()`, taken before the claim was sent */
  claimedAt: number;
  /** extends the lease in the database. @returns false when another worker has taken the row */
  renew: () => Promise<boolean>;
  onLost?: () => void;
  /** called when a renewal failed; the lease still holds until its end */
  onFault?: (error: unknown) => void;
}

/**
 * A lease that is renewed until `end`. Check `maySend` before each message: `sendUntil` is on this process's monotonic clock
 * and always precedes the end of the lease in the database, whatever happens to the connection or the wall clocks.
 */
export class HeldLease {
  private until: number;
  private readonly timer: NodeJS.Timeout;
  private hasEnded = false;

  constructor(private readonly terms: LeaseTerms) {
    const { claimedAt, leaseMs } = terms;
    this.until = claimedAt + leaseMs * SAFE_SHARE;
    this.timer = setInterval(() => void this.renew(), leaseMs / RENEWALS);
  }

  get sendUntil(): number {
    return this.until;
  }

  get maySend(): boolean {
    return performance.now() < this.until;
  }

  /** Stops renewals. The holder's last write releases the row. */
  end(): void {
    this.hasEnded = true;
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    const { leaseMs, renew, onLost, onFault } = this.terms;
    const askedAt = performance.now();
    try {
      const isHeld = await renew();
      if (this.hasEnded) return;
      if (isHeld) this.until = askedAt + leaseMs * SAFE_SHARE;
      else {
        this.until = 0;
        this.end();
        onLost?.();
      }
    } catch (error) {
      onFault?.(error);
    }
  }
}

type Source = Pick<EntityManager, 'query'>;

export interface LeaseColumns {
  table: string;
  key: readonly string[];
  /** times that move with the lease, such as the time of the next check */
  moved?: readonly string[];
}

export interface ClaimTerms {
  /** the fence that the caller read: the claim fails when it has changed */
  fence?: number;
  set?: Readonly<Record<string, number>>;
  onlyIf?: string;
}

export interface LeasedRow {
  key: readonly number[];
  fence: number;
  set?: Readonly<Record<string, number>>;
}

/** Rows of another table, one for each leased row, that the statement of a claim writes too. */
export interface ClaimedAlongside {
  /** SQL: joined to `j`, the requested rows, and so locked before the leased rows */
  join: string;
  set: readonly string[];
  values: readonly [join: readonly unknown[], set: readonly unknown[]];
  rows: number;
}

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
};

/** A moment so many microseconds from now, by the clock of the database. */
export const FROM_NOW = 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';

/** SQL: no worker holds the row. @param alias of its table in the statement */
export const isFree = (alias = ''): string => {
  const column = alias === '' ? 'lease_until' : `${alias}.lease_until`;
  return `(${column} IS NULL OR ${column} <= UTC_TIMESTAMP(3))`;
};

/** A table whose rows one worker holds at a time. `fence` counts claims: after its lease, a worker can write nothing. */
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

  /** Takes the lease of a free row and increments its fence. @returns false when another worker was faster */
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

  /** Extends the lease. @returns false when the row was lost; a released row stays released */
  async renew(source: Source, key: readonly number[], fence: number, leaseMs: number): Promise<boolean> {
    const result: WriteResult = await source.query(
      again(
        `UPDATE ${this.columns.table} SET ${this.leased} WHERE ${this.isKey} AND fence = ? AND lease_until IS NOT NULL`,
      ),
      [...this.until(leaseMs), ...key, fence],
    );
    return result.affectedRows === 1;
  }

  /** Claims free rows with an unchanged fence. @param mark column to find claims after a lost answer @returns their indexes */
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
      `SELECT j.ordinal AS n FROM ${this.rowsTable([mark])} STRAIGHT_JOIN ${table} t FORCE INDEX (PRIMARY) ON ${this.isRow}
         AND t.fence = j.fence + 1 AND t.${mark} = j.${mark}`,
      [this.inOrder(rows, [mark])],
    );
    return new Set(taken.map(({ n }) => n));
  }

  /** Extends several leases. @returns false when one row was lost; released rows stay released */
  async renewAll(source: Source, rows: readonly LeasedRow[], leaseMs: number): Promise<boolean> {
    const result: WriteResult = await source.query(
      again(`UPDATE ${this.rowsTable([])} STRAIGHT_JOIN ${this.columns.table} t FORCE INDEX (PRIMARY) ON ${this.isRow} AND t.fence = j.fence
       SET ${this.moved('t.').join(', ')} WHERE t.lease_until IS NOT NULL`),
      [this.inOrder(rows, []), ...this.until(leaseMs)],
    );
    return result.affectedRows === rows.length;
  }

  /** Takes rows by a one-column key, locked by this transaction and found free. @throws when one is not free */
  async claimLocked(tx: Source, ids: readonly number[], leaseMs: number): Promise<void> {
    if (ids.length === 0) return;
    const { affectedRows }: WriteResult = await tx.query(
      `UPDATE ${this.columns.table} SET fence = fence + 1, ${this.leased} WHERE ${this.columns.key[0]} IN (?) AND ${isFree()}`,
      [...this.until(leaseMs), ids],
    );
    if (affectedRows !== ids.length) throw new Error('A row that was locked was not free');
  }

  /** SQL: the requested rows, as `j`. The join forces the key: a scan of a small table would wait for other rows' locks. */
  private rowsTable(set: readonly string[]): string {
    const names = ['ordinal', 'fence', ...this.columns.key, ...set];
    return `JSON_TABLE(?, '$[*]' COLUMNS (${names.map((name, index) => `${name} BIGINT PATH '$[${index}]'`).join(', ')})) j`;
  }

  /** Sorted by key, the order of locks. */
  private inOrder(rows: readonly LeasedRow[], set: readonly string[]): string {
    const sorted = rows.map(({ key, fence, set: values = {} }, index) => ({
      key,
      row: [index, fence, ...key, ...set.map((column) => values[column])],
    }));
    sorted.sort((a, b) => compare(a.key, b.key));
    return JSON.stringify(sorted.map(({ row }) => row));
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

export interface DueRows {
  table: string;
  key: readonly string[];
  columns?: readonly string[];
  /** time column; it needs an index */
  due: string;
  where?: { sql: string; values: readonly unknown[] };
  most: number;
  /** milliseconds until a taken row is due again, in case its worker dies */
  againAfterMs: number;
}

/** Takes due rows, oldest first, and moves their time ahead. Workers skip locked rows; a cluster retries conflicting writes. */
export function takeDue<Row extends object>(dataSource: DataSource, rows: DueRows): Promise<Row[]> {
  const { table, key, columns = [], due, where, most, againAfterMs } = rows;
  const filter = where ? ` AND ${where.sql}` : '';
  const take = async (tx: EntityManager): Promise<Row[]> => {
    const found: Row[] = await tx.query(
      `SELECT ${[...key, ...columns].join(', ')} FROM ${table} WHERE ${due} <= UTC_TIMESTAMP(3)${filter}
       ORDER BY ${due} LIMIT ? FOR UPDATE SKIP LOCKED`,
      [...(where?.values ?? []), most],
    );
    if (found.length === 0) return [];
    const keys = found.map((row) => key.map((column) => (row as Record<string, unknown>)[column]));
    await tx.query(
      `UPDATE ${table} SET ${due} = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND WHERE ${isOneOf(key, keys)}`,
      [againAfterMs * 1000, ...(key.length === 1 ? [keys.flat()] : keys.flat())],
    );
    return found;
  };
  return inTransaction(dataSource, take, { again: 'what a lost answer had taken is due again after its while' });
}

/** Not `(a, b) IN (…)`: MariaDB reads the whole index for a list of one row. */
const isOneOf = (key: readonly string[], keys: readonly unknown[][]): string =>
  key.length === 1
    ? `${key[0]} IN (?)`
    : keys.map(() => `(${key.map((column) => `${column} = ?`).join(' AND ')})`).join(' OR ');
