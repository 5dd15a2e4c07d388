export { DriverRegistry } from './driver-registry.js';
export { RouteDirectory, type RouteDraft, type RouteRecord } from './persistence/route-directory.js';
export {
  type MessageDriver,
  type OutboundMessage,
  type ProviderCallback,
  type Receipt,
  ReceiptSink,
  type Route,
  type RouteChannel,
  type RouteConnection,
  type SendOutcome,
} from './ports/message-driver.js';
export { ProvidersModule, ProvidersWorkerModule, RoutesModule } from './providers.module.js';
export { keepSecrets, maskSecrets } from './secret-fields.js';
export { RouteConnections } from './route-connections.js';
