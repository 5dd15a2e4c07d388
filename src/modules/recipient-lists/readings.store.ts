import type { EntityManager } from 'typeorm';
import { again, type WriteResult } from '../../platform/database/index.js';

/** What is read some thousand rows at a time. */
export interface Reading {
  id: number;
  /** recipients */
  total: number;
  /** columns of the head as they were: with others, what was read may be of two states, or rows are gone */
  as: Readonly<Record<string, number>>;
  /** clock of `performance.now()`: from then on the lease is renewed with the next part; Infinity = there is none */
  renewAt: number;
}

/** What is read: uploads, or lists. */
export interface ReadTerms {
  table: string;
  /** column of how many recipients there are */
  total: string;
  /** those by which it is known to be the same */
  as: readonly string[];
  /** SQL: it can be read */
  isThere: string;
}

/** The pool or a transaction. */
type Source = Pick<EntityManager, 'query'>;

/** Of a reader that holds; it may pause for most of it between two parts. */
export const READERS_LEASE_MS = 120_000;
/** A million rows come in hundreds of parts: few of them write the head. */
const RENEWED_AFTER_MS = 10_000;
const FROM_NOW = 'UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND';

/**
 * Readers of uploads or of lists: those that hold keep what they read until they have read it, though it be removed or expire
 * meanwhile; those that look write nothing, and are told when it went.
 */
export class Readings {
  constructor(private readonly terms: ReadTerms) {}

  /** Keeps the rows as long as the reader goes on. @returns null when there is none to be read */
  async hold(source: Source, accountId: number, id: number): Promise<Reading | null> {
    const renewAt = performance.now() + RENEWED_AFTER_MS;
    const { table, isThere } = this.terms;
    const { affectedRows }: WriteResult = await source.query(
      again(`UPDATE ${table} SET lease_until = ${FROM_NOW} WHERE id = ? AND account_id = ? AND ${isThere}`),
      [READERS_LEASE_MS * 1000, id, accountId],
    );
    if (affectedRows === 0) return null;
    const reading = await this.look(source, accountId, id);
    return reading && { ...reading, renewAt };
  }

  /** For those who ask rather than act. @returns null when there is none to be read */
  async look(source: Source, accountId: number, id: number): Promise<Reading | null> {
    const { table, total, as, isThere } = this.terms;
    const [row] = await source.query<Record<string, number>[]>(
      `SELECT ${[total, ...as].join(', ')} FROM ${table} WHERE id = ? AND account_id = ? AND ${isThere}`,
      [id, accountId],
    );
    if (!row) return null;
    const was = Object.fromEntries(as.map((column) => [column, Number(row[column])]));
    return { id, total: Number(row[total]), as: was, renewAt: Infinity };
  }

  /** Behind the reading of each part. @returns false when it is not known to be of the state that the reading began with */
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
