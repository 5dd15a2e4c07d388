import type { DataSourceOptions } from 'typeorm';
import type { DatabaseWatch } from './database-watch.js';
import { guardedDriver, type PoolBounds } from './guarded-pool.js';
import { migrations } from './migrations/index.js';
import { IDLE_MS } from './session.js';

const BOUNDS: PoolBounds = { queryTimeout: 25_000, poolWait: 10_000 };

/**
 * TypeORM options for one process; entities come from the feature modules (`TypeOrmModule.forFeature`).
 * READ COMMITTED, said once a connection: no gap locks, so bulk inserts and conditional updates of different campaigns
 * never meet. Times are UTC; BIGINT comes as number (our ids have 53 bits, sums stay below).
 */
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
      // mysql2 would note the stack of every statement; logs show that of the error which TypeORM makes of a fault.
      trace: false,
      // What is at rest is given back, the longest first: processes that idle leave their places to others.
      ...{ maxIdle: Math.max(1, poolSize - 1), idleTimeout: IDLE_MS },
    },
  };
}
