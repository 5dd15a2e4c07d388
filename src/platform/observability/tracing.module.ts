import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { NO_TRACING, TRACING, type Tracing } from './tracing.js';

/** Traces of a process, one for all who import it. */
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
