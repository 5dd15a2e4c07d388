import { Global, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { SecurityModule } from '../security/index.js';
import { Drain } from './drain.js';
import { HealthController } from './health.controller.js';
import { DatabaseMetrics } from './database-metrics.js';
import { createLogger, ROOT_LOGGER } from './logging.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { TracingModule } from './tracing.module.js';

@Global()
@Module({
  providers: [
    Metrics,
    DatabaseMetrics,
    Drain,
    {
      provide: ROOT_LOGGER,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => createLogger(environment),
    },
  ],
  exports: [Metrics, Drain, ROOT_LOGGER],
})
class InstrumentsModule {}

/**
 * Logs, metrics and health of a process, with the controllers `/health/live`, `/health/ready` and `/metrics`. Requests
 * are logged by `requestLog`, one line each, instead of by pino-http, which costs a child logger a request.
 */
@Module({
  imports: [
    SecurityModule,
    InstrumentsModule,
    TracingModule,
    LoggerModule.forRootAsync({
      inject: [ROOT_LOGGER],
      useFactory: (logger: Logger) => ({ pinoHttp: { logger, autoLogging: false }, forRoutes: [] }),
    }),
    TerminusModule.forRoot({ logger: false }),
  ],
  controllers: [HealthController, MetricsController],
})
export class ObservabilityModule {}
