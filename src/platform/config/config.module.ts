import { Global, Module } from '@nestjs/common';
import { type Environment, readEnvironment } from './environment.js';

/** Injection token of the validated environment. */
export const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Gives every module the validated environment: `@Inject(ENVIRONMENT) environment: Environment`. */
@Global()
@Module({
  providers: [{ provide: ENVIRONMENT, useFactory: (): Environment => readEnvironment() }],
  exports: [ENVIRONMENT],
})
export class ConfigModule {}
