import type { DataSourceOptions } from 'typeorm';
import { migrations } from './migrations/index.js';

/**
 * TypeORM options for one process; entities come from the feature modules (`TypeOrmModule.forFeature`).
 * READ COMMITTED: no gap locks, so bulk inserts and conditional updates of different campaigns never meet
 * (docs/decisions/0004). Times are UTC; BIGINT comes as number (our ids have 53 bits, sums stay below).
 */
export function dataSourceOptions(url: string, poolSize = 12): DataSourceOptions {
  return {
    type: 'mysql',
    url,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    poolSize,
    isolationLevel: 'READ COMMITTED',
    migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
    logging: false,
    extra: { connectTimeout: 5_000, enableKeepAlive: true, waitForConnections: true },
  };
}
