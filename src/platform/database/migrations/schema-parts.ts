import { type Asked, type DayBound, partitionedByDay } from '../day-partitions.js';

/** Whether the index exists. DDL commits implicitly, so an interrupted migration runs again and skips finished steps. */
export async function hasIndex(db: Asked, table: string, index: string): Promise<boolean> {
  const found = await db.query<unknown[]>(
    `SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?
     LIMIT 1`,
    [table, index],
  );
  return found.length > 0;
}

export interface BaselineTable {
  name: string;
  columns: string;
  days?: { by: string; bound: DayBound };
}

export const table = (name: string, columns: string, days?: BaselineTable['days']): BaselineTable => ({
  name,
  columns,
  ...(days ? { days } : {}),
});

/** A partitioned table begins with one partition for all days up to today. */
export const createTable = ({ name, columns, days }: BaselineTable): string =>
  `CREATE TABLE ${name} (${columns}
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ${days ? partitionedByDay(days.by, days.bound) : ''}`;
