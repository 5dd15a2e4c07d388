import type { DataSource, EntityManager } from 'typeorm';
import { inTransaction } from '../database/index.js';

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
