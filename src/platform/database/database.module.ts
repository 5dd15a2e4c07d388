import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { DatabaseWatch } from './database-watch.js';
import { dataSourceOptions } from './data-source.js';
import { Packets } from './packets.js';
import { ReadDatabase } from './read-database.js';
import { watchTransactions } from './transaction.js';

@Global()
@Module({ providers: [DatabaseWatch], exports: [DatabaseWatch] })
class DatabaseWatchModule {}

/** @param queryTimeout overrides `DATABASE_QUERY_TIMEOUT`, milliseconds; 0 = none */
const connection = (retryAttempts: number, queryTimeout?: number): DynamicModule =>
  TypeOrmModule.forRootAsync({
    imports: [DatabaseWatchModule],
    inject: [ENVIRONMENT, DatabaseWatch],
    useFactory: (environment: Environment, watch: DatabaseWatch) => {
      if (environment.NODE_ENV === 'test') watchTransactions();
      const bounds = {
        queryTimeout: queryTimeout ?? environment.DATABASE_QUERY_TIMEOUT,
        poolWait: environment.DATABASE_POOL_WAIT,
      };
      return {
        ...dataSourceOptions(environment.DATABASE_URL, environment.DATABASE_POOL_SIZE, bounds, watch),
        autoLoadEntities: true,
        retryAttempts,
        retryDelay: 1500,
      };
    },
  });

/** One connection pool per process. It connects in the background, so a process can start while the database restarts. */
@Global()
@Module({ imports: [connection(20)], providers: [ReadDatabase, Packets], exports: [ReadDatabase, Packets] })
export class DatabaseModule {}

/** For interactive commands: reports an unreachable database at once. */
@Global()
@Module({ imports: [connection(1)], providers: [ReadDatabase, Packets], exports: [ReadDatabase, Packets] })
export class ImpatientDatabaseModule {}

/** For migrations, whose statements have no timeout. */
@Global()
@Module({ imports: [connection(20, 0)], providers: [ReadDatabase, Packets], exports: [ReadDatabase, Packets] })
export class MigratingDatabaseModule {}
