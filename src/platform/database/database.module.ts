import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { dataSourceOptions } from './options.js';

/** One connection pool a process. The pool connects in the background, so that a process starts while the database restarts. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => ({
        ...dataSourceOptions(environment.DATABASE_URL, environment.DATABASE_POOL_SIZE),
        autoLoadEntities: true,
        retryAttempts: 20,
        retryDelay: 1500,
      }),
    }),
  ],
})
export class DatabaseModule {}
