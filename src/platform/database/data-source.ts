import { DataSource, type DataSourceOptions } from 'typeorm';
import type { DatabaseWatch } from './database-watch.js';
import { guardedDriver, IDLE_MS, type PoolBounds } from './guarded-pool.js';
import { migrations } from './migrations/index.js';

const BOUNDS: PoolBounds = { queryTimeout: 25_000, poolWait: 10_000 };

/** TypeORM options. READ COMMITTED has no gap locks, so bulk inserts of campaigns do not collide. UTC; BIGINT as number. */
export function dataSourceOptions(
  url: string,
  poolSize = 12,
  bounds = BOUNDS,
  watch?: DatabaseWatch,
): DataSourceOptions {
  return {
    type: 'mysql',
    driver: guardedDriver(bounds, watch),
    url,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    poolSize,
    migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
    logging: false,
    extra: {
      ...{ connectTimeout: 5_000, enableKeepAlive: true, waitForConnections: true },
      // mysql2 would record a stack for every statement; TypeORM's error has one already.
      trace: false,
      // Idle processes close connections, so that others can use them.
      ...{ maxIdle: Math.max(1, poolSize - 1), idleTimeout: IDLE_MS },
    },
  };
}

/** A data source that connects at first use, and again after a failed attempt. */
export class LateDataSource {
  private opened: Promise<DataSource> | null = null;

  constructor(private readonly options: DataSourceOptions) {}

  get(): Promise<DataSource> {
    return (this.opened ??= this.open());
  }

  async close(): Promise<void> {
    const source = await this.opened?.catch(() => null);
    await source?.destroy();
  }

  private open(): Promise<DataSource> {
    const opening = new DataSource({ ...this.options, migrations: [], entities: [] }).initialize();
    opening.catch(() => {
      this.opened = null;
    });
    return opening;
  }
}

const POOL = 4;
const OTHER_BOUNDS = { queryTimeout: 3_000, poolWait: 2_000 };

/** An optional second database for single statements. */
export class OtherDatabase {
  private readonly source: LateDataSource;

  constructor(url: string) {
    this.source = new LateDataSource(dataSourceOptions(url, POOL, OTHER_BOUNDS));
  }

  async query<Result>(sql: string, values: unknown[] = []): Promise<Result> {
    return (await this.source.get()).query<Result>(sql, values);
  }

  close(): Promise<void> {
    return this.source.close();
  }
}
