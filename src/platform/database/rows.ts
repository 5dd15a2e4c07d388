import type { Pool, PoolConnection, QueryValues, RowDataPacket } from 'mysql2';
import { type DataSource, QueryFailedError } from 'typeorm';

/**
 * A long text as a parameter: it writes itself into its statement. mysql2 escapes every double quote too, of which a thousand
 * rows of JSON have thousands, and the server takes each of them away again; within single quotes only the single quote and
 * the backslash mean anything (MySQL 8.4 reference manual, 11.1.1; utf8mb4 has neither inside of another character).
 */
export class QuotedText {
  constructor(readonly text: string) {}

  /** Of mysql2: a literal of SQL. As all of its own, for a server whose `sql_mode` lets backslashes escape. */
  toSqlString(): string {
    return `'${doubled(doubled(this.text, "'"), '\\')}'`;
  }
}

/** Not by `replaceAll`, which takes four times as long for a text of nothing else: a client may send one. */
const doubled = (text: string, character: string): string =>
  text.includes(character) ? text.split(character).join(character + character) : text;

const HALF_CHARACTER = /\p{Surrogate}/gu;

const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(HALF_CHARACTER, '\uFFFD') : value;

/**
 * Rows as one JSON parameter for JSON_TABLE: the portable bulk way (MariaDB and MySQL), about as fast as LOAD DATA.
 * JSON_TABLE's text columns need a character set, else mixed collations raise errors. Half a surrogate pair, which an
 * upstream may send and JavaScript writes as `\ud83d`, is no JSON to the servers: one such text would refuse every row
 * of the statement, so it is replaced.
 */
export function jsonRows(rows: readonly unknown[]): QuotedText {
  const text = JSON.stringify(rows);
  return new QuotedText(text.includes('\\ud') ? JSON.stringify(rows, wellFormed) : text);
}

/**
 * What one statement takes at the most. `length` is that of long texts, in UTF-16 units, each of which takes four bytes at most
 * (a backslash of a JSON text within JSON within a literal): far below the packet of 16 MB that MariaDB takes.
 */
export const BATCH = { rows: 5_000, length: 1_000_000 } as const;

/** Rows, as many at a time as one statement takes, whatever they hold. @param lengthOf the long text of a row */
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

/** What reads are asked through: the pool, or the session of a `ReadDatabase`. */
export interface ReadSource {
  query<T = unknown>(sql: string, values?: unknown[]): Promise<T>;
}

interface ArraySource extends ReadSource {
  rowArrays<Row extends readonly unknown[]>(sql: string, values: unknown[]): Promise<Row[]>;
}

/**
 * The rows of one statement as arrays, past the ORM: objects with names cost a stream of many rows a third of its speed
 * (docs/decisions/0027). The connection is the pool's, taken for this statement alone.
 * @param sql a SELECT
 * @throws QueryFailedError as TypeORM's own `query` does
 */
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

/** A connection of the pool that TypeORM uses, with all its bounds (`guarded-pool.ts`). */
function connectionOf(dataSource: DataSource): Promise<PoolConnection> {
  const { pool } = dataSource.driver as unknown as { pool: Pool };
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (error) reject(error);
      else resolve(connection);
    });
  });
}

/** What an INSERT, UPDATE or DELETE answered. `insertId` also carries LAST_INSERT_ID(expr). */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}

/**
 * The lock of a SELECT that joins a derived table or JSON_TABLE: only the rows of `alias` are locked.
 *
 * MySQL refuses to lock a JSON_TABLE (error 3569), so the clause names the table there (`OF`). MariaDB does not know `OF`, locks
 * stored rows only, and skips the comment: it runs `/*!NNNNN` only where NNNNN is below 50700 or above 99999 (and at most its
 * own version), in every release up to 12; MySQL runs it from NNNNN on.
 * @param alias of the table to lock, as in the FROM clause
 */
export const lockOnly = (alias: string): string => `FOR UPDATE /*!80000 OF ${alias} */`;
