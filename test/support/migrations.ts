import type { TestDatabase } from './database.js';

/** Back to the schema of before a migration. @param timestamp of the migration, which is undone too */
export async function undoFrom({ dataSource }: TestDatabase, timestamp: number): Promise<void> {
  for (;;) {
    const [last] = await dataSource.query<{ timestamp: number }[]>(
      'SELECT timestamp FROM migrations ORDER BY timestamp DESC LIMIT 1',
    );
    if (!last || last.timestamp < timestamp) return;
    await dataSource.undoLastMigration();
  }
}
