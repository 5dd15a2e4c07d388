import { DataSource } from 'typeorm';
import { readEnvironment } from './src/platform/config/index.js';
import { dataSourceOptions } from './src/platform/database/index.js';

/** The data source of the TypeORM command line (`npx typeorm -d dist/ormconfig.js migration:run`). */
export default new DataSource(
  dataSourceOptions(readEnvironment().DATABASE_URL, 2, { queryTimeout: 0, poolWait: 10_000 }),
);
