export { Drain } from './drain.js';
export { createLogger, ROOT_LOGGER } from './logging.js';
export { Metrics } from './metrics.js';
export { startMonitoringServer } from './monitoring-server.js';
export { ObservabilityModule } from './observability.module.js';
export { OPEN_METADATA } from './open-metadata.js';
export { requestLog } from './request-log.js';
export { safeError } from './safe-error.js';
export { stopProcessBySignal } from './stop-process.js';
