import type { Asked } from './day-partitions.js';

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
