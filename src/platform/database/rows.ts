import type { Pool, PoolConnection, QueryValues, RowDataPacket } from 'mysql2';
import { type DataSource, QueryFailedError } from 'typeorm';

/** A text that quotes itself with ', so that only ' and \ need escapes: mysql2 would escape the thousands of " in JSON rows. */
export class QuotedText {
  constructor(readonly text: string) {}

  /** mysql2 calls this. Correct only while `sql_mode` lets backslashes escape. */
  toSqlString(): string {
    return `'${doubled(doubled(this.text, "'"), '\\')}'`;
  }
}

/** Not `replaceAll`, which is four times slower on a text of only this character: a client may send one. */
export const doubled = (text: string, character: string): string =>
  text.includes(character) ? text.split(character).join(character + character) : text;

const HALF_CHARACTER = /\p{Surrogate}/gu;

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(HALF_CHARACTER, '\uFFFD') : value;

/** Rows as one parameter for JSON_TABLE, as fast as LOAD DATA. Lone surrogates are replaced: servers reject them as JSON. */
export function jsonRows(rows: readonly unknown[]): QuotedText {
  const text = JSON.stringify(rows);
  return new QuotedText(text.includes('\\ud') ? JSON.stringify(rows, wellFormed) : text);
}

/** Limits of one statement. `length` in UTF-16 units of at most four escaped bytes: far below MariaDB's packet of 16 MB. */
export const BATCH = { rows: 5_000, length: 1_000_000 } as const;

/** Splits rows into batches for one statement each. @param lengthOf UTF-16 units of a row's long text */
export function* batchesOf<Row>(
  rows: Iterable<Row>,
  lengthOf: (row: Row) => number,
): Generator<Row[], void, undefined> {
  let batch: Row[] = [];
  let length = 0;
  for (const row of rows) {
    const more = lengthOf(row);
    if (batch.length === BATCH.rows || (batch.length > 0 && length + more > BATCH.length)) {
      yield batch;
      [batch, length] = [[], 0];
    }
    batch.push(row);
    length += more;
  }
  if (batch.length > 0) yield batch;
}

export interface ReadSource {
  query<T = unknown>(sql: string, values?: unknown[]): Promise<T>;
}

interface ArraySource extends ReadSource {
  rowArrays<Row extends readonly unknown[]>(sql: string, values: unknown[]): Promise<Row[]>;
}

/** Rows of a SELECT as arrays, without the ORM, which is a third slower (docs/decisions/0027). @throws QueryFailedError */
export async function rowArrays<Row extends readonly unknown[]>(
  source: ReadSource,
  sql: string,
  values: unknown[],
): Promise<Row[]> {
  if ('rowArrays' in source) return (source as ArraySource).rowArrays<Row>(sql, values);
  const connection = await connectionOf(source as DataSource);
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      connection.query<RowDataPacket[][]>({ sql, rowsAsArray: true }, values as QueryValues, (error, rows) => {
        if (error) reject(new QueryFailedError(sql, values, error));
        else resolve(rows as unknown as Row[]);
      });
    });
  } finally {
    connection.release();
  }
}

/** A connection of TypeORM's pool, with all its limits (`guarded-pool.ts`). */
export function connectionOf(dataSource: DataSource): Promise<PoolConnection> {
  const { pool } = dataSource.driver as unknown as { pool: Pool };
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (error) reject(error);
      else resolve(connection);
    });
  });
}

/** Answer to a write. `insertId` also carries LAST_INSERT_ID(expr). */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}

/**
 * Locking clause for a SELECT that joins a derived table or JSON_TABLE: locks only the rows of `alias`. MySQL cannot lock a
 * JSON_TABLE (error 3569). MariaDB has no `OF` and skips it: it runs `/*!NNNNN` only below 50700 and above 99999.
 */
export const lockOnly = (alias: string): string => `FOR UPDATE /*!80000 OF ${alias} */`;
