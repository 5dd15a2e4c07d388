import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { dataSourceOptions } from './options.js';

const connection = (retryAttempts: number): DynamicModule =>
  TypeOrmModule.forRootAsync({
    inject: [ENVIRONMENT],
    useFactory: (environment: Environment) => ({
      ...dataSourceOptions(environment.DATABASE_URL, environment.DATABASE_POOL_SIZE),
      autoLoadEntities: true,
      retryAttempts,
      retryDelay: 1500,
    }),
  });

/** One connection pool a process. The pool connects in the background, so that a process starts while the database restarts. */
@Global()
@Module({ imports: [connection(20)] })
export class DatabaseModule {}

/** The same for a command that somebody waits for: a database that does not answer is told at once. */
@Global()
@Module({ imports: [connection(1)] })
export class ImpatientDatabaseModule {}
