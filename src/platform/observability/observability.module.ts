import { Global, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { SecurityModule } from '../security/index.js';
import { createLogger, ROOT_LOGGER } from './logging.js';
import { DatabaseMetrics, Metrics } from './metrics.js';
import { HealthController, MetricsController } from './monitoring.controller.js';
import { Drain } from './start-and-stop.js';
import { NO_TRACING, type Tracing, TRACING } from './tracing.js';

@Module({
  providers: [
    {
      provide: TRACING,
      inject: [ENVIRONMENT],
      useFactory: async (environment: Environment): Promise<Tracing> => {
        if (environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return NO_TRACING;
        const { OtelTracing } = await import('./otel-tracing.js');
        return new OtelTracing(environment);
      },
    },
  ],
  exports: [TRACING],
})
export class TracingModule {}

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

/** Logs, metrics and probes. `requestLog` writes one line per request; pino-http would create a child logger for each. */
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
