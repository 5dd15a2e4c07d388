import { type Asked, type DayBound, partitionedByDay } from '../day-partitions.js';

/**
 * Whether the table has this index. Servers end a transaction at every change of a schema: a migration of several steps that
 * was broken off is run again from its first, and leaves out what is done.
 */
export async function hasIndex(db: Asked, table: string, index: string): Promise<boolean> {
  const found = await db.query<unknown[]>(
    `SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?
     LIMIT 1`,
    [table, index],
  );
  return found.length > 0;
}

/** A table as version 0.3.0 had it. */
export interface BaselineTable {
  name: string;
  /** columns and keys */
  columns: string;
  /** cut into days: by what, and the bound of each */
  days?: { by: string; bound: DayBound };
}

export const table = (name: string, columns: string, days?: BaselineTable['days']): BaselineTable => ({
  name,
  columns,
  ...(days ? { days } : {}),
});

/** A table that is cut into days begins with a partition for all up to today. */
export const createTable = ({ name, columns, days }: BaselineTable): string =>
  `CREATE TABLE ${name} (${columns}
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ${days ? partitionedByDay(days.by, days.bound) : ''}`;
