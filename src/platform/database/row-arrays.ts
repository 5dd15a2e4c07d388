import type { Pool, PoolConnection, QueryValues, RowDataPacket } from 'mysql2';
import { type DataSource, QueryFailedError } from 'typeorm';

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
