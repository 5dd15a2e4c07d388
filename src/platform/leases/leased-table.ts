import type { EntityManager } from 'typeorm';
import type { WriteResult } from '../database/index.js';

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
      `UPDATE ${this.columns.table} SET ${this.leased} WHERE ${this.isKey} AND fence = ? AND lease_until IS NOT NULL`,
      [...this.until(leaseMs), ...key, fence],
    );
    return result.affectedRows === 1;
  }

  private until(leaseMs: number): number[] {
    return Array.from({ length: this.moments }, () => leaseMs * 1000);
  }
}
