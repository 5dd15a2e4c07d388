import type { DataSource } from 'typeorm';

const LOCK_PATIENCE_SECONDS = 300;

/**
 * Runs `work` while this process alone holds a lock of the database, so that instances which start together migrate
 * and seed once. The lock lives on one connection: it is freed by the server when the process dies.
 */
export async function whileLocked<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    const [{ name }] = (await runner.query(`SELECT CONCAT('prepare.', MD5(DATABASE())) AS name`)) as [{ name: string }];
    const [{ held }] = (await runner.query('SELECT GET_LOCK(?, ?) AS held', [name, LOCK_PATIENCE_SECONDS])) as [
      { held: number | null },
    ];
    if (Number(held) !== 1) throw new Error('Another process has been preparing this database for five minutes');
    try {
      return await work();
    } finally {
      await runner.query('SELECT RELEASE_LOCK(?)', [name]);
    }
  } finally {
    await runner.release();
  }
}

/** Applies what is missing, each migration in a transaction of its own. @returns the names of those applied */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const applied = await dataSource.runMigrations({ transaction: 'each' });
  return applied.map((migration) => migration.name);
}
