export {
  Drain,
  DRAIN_MS,
  drainServer,
  startMonitoringServer,
  collectStartGarbage,
  stopProcessBySignal,
} from './start-and-stop.js';
export { createLogger, ROOT_LOGGER, safeError } from './logging.js';
export { Metrics } from './metrics.js';
export { ObservabilityModule, TracingModule } from './observability.module.js';
export { requestLog, requestSpans } from './request-log.js';
export { type Span, TRACING, type Tracing } from './tracing.js';
