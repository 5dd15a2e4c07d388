import type { DataSource, EntityManager } from 'typeorm';
import { again } from './faults.js';
import type { WriteResult } from './rows.js';
import { inTransaction } from './transaction.js';

/** Renewed at a third of the lease, and nothing leaves in its last sixth: clocks and commits need room. */
const RENEWALS = 3;
const SAFE_SHARE = 5 / 6;

/** What a hold is made of. */
export interface LeaseTerms {
  leaseMs: number;
  /** clock of `performance.now()`, taken before the claim was asked for */
  claimedAt: number;
  /** asks the database for as much again. @returns false when the row has passed to another worker */
  renew: () => Promise<boolean>;
  /** called once, when the row has passed to another worker */
  onLost?: () => void;
  /** called when the database could not be asked; the lease goes on until its end */
  onFault?: (error: unknown) => void;
}

/**
 * A lease while its holder works: renewed again and again, until `end`. `sendUntil` is the moment up to which something
 * may leave, by this process's own monotonic clock: whatever becomes of the connection or of the wall clocks, the lease
 * in the database is not over before. A holder asks it before each message.
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

  /** Clock of `performance.now()`; 0 once the row has passed to another worker. */
  get sendUntil(): number {
    return this.until;
  }

  /** Whether something may leave now. */
  get maySend(): boolean {
    return performance.now() < this.until;
  }

  /** Is renewed no more. The row itself is given back by what the holder writes at its end. */
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

/** Which rows are due, and what becomes of them. */
export interface DueRows {
  table: string;
  /** of the primary key */
  key: readonly string[];
  /** what is read of the rows, besides the key */
  columns?: readonly string[];
  /** the column that says when a row is due; it needs an index */
  due: string;
  /** SQL: a further condition, with the values of its question marks */
  where?: { sql: string; values: readonly unknown[] };
  most: number;
  /** when a taken row is due again, in case its worker dies or forgets it */
  againAfterMs: number;
}

/**
 * Takes what is due, the longest due first, and moves its moment ahead. Several workers never take the same rows: on one
 * server they pass over each other's locks, and on two nodes of a cluster one of the two writes is refused and looks again.
 */
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
