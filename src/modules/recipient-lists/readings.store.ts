import type { EntityManager } from 'typeorm';
import { FROM_NOW, again, type WriteResult } from '../../platform/database/index.js';

export interface Reading {
  id: number;
  total: number;
  /** columns of the head when the reading began; if one of them changes, rows may have changed or gone */
  as: Readonly<Record<string, number>>;
  /** `performance.now()` after which the next part renews the lease; Infinity = no lease */
  renewAt: number;
}

export interface ReadTerms {
  table: string;
  total: string;
  /** columns that identify the state of the rows */
  as: readonly string[];
  isThere: string;
}

type Source = Pick<EntityManager, 'query'>;

/** Lease of a reader, which may pause for most of it between two parts. */
export const READERS_LEASE_MS = 120_000;
/** A million rows come in hundreds of parts: few of them write the head. */
const RENEWED_AFTER_MS = 10_000;

/** Readers: `hold` keeps the rows by a lease even if they are removed; `peek` writes nothing, and `keep` detects the loss. */
export class Readings {
  constructor(private readonly terms: ReadTerms) {}

  /** Starts a reading with a lease. @returns null when there is nothing to read */
  async hold(source: Source, accountId: number, id: number): Promise<Reading | null> {
    const renewAt = performance.now() + RENEWED_AFTER_MS;
    const { table, isThere } = this.terms;
    const { affectedRows }: WriteResult = await source.query(
      again(`UPDATE ${table} SET lease_until = ${FROM_NOW} WHERE id = ? AND account_id = ? AND ${isThere}`),
      [READERS_LEASE_MS * 1000, id, accountId],
    );
    if (affectedRows === 0) return null;
    const reading = await this.peek(source, accountId, id);
    return reading && { ...reading, renewAt };
  }

  /** Starts a reading without a lease. @returns null when there is nothing to read */
  async peek(source: Source, accountId: number, id: number): Promise<Reading | null> {
    const { table, total, as, isThere } = this.terms;
    const [row] = await source.query<Record<string, number>[]>(
      `SELECT ${[total, ...as].join(', ')} FROM ${table} WHERE id = ? AND account_id = ? AND ${isThere}`,
      [id, accountId],
    );
    if (!row) return null;
    const was = Object.fromEntries(as.map((column) => [column, Number(row[column])]));
    return { id, total: Number(row[total]), as: was, renewAt: Infinity };
  }

  /** Call after each part, to renew the lease. @returns false when the rows may differ from those at the start */
  async keep(source: Source, reading: Reading): Promise<boolean> {
    const { id, as, renewAt } = reading;
    const { table } = this.terms;
    const isSame = ['id = ?', ...Object.keys(as).map((column) => `${column} = ?`)].join(' AND ');
    const values = [id, ...Object.values(as)];
    const askedAt = performance.now();
    if (askedAt < renewAt) {
      const found = await source.query<unknown[]>(`SELECT 1 FROM ${table} WHERE ${isSame}`, values);
      return found.length === 1;
    }
    const { affectedRows }: WriteResult = await source.query(
      again(`UPDATE ${table} SET lease_until = ${FROM_NOW} WHERE ${isSame}`),
      [READERS_LEASE_MS * 1000, ...values],
    );
    reading.renewAt = askedAt + RENEWED_AFTER_MS;
    return affectedRows === 1;
  }
}
