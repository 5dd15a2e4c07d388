export {
  CHAT_CONNECTIONS,
  CHAT_PROVIDERS,
  type ChatAccount,
  chatAccountErrors,
  type ChatConnection,
  type ChatProvider,
  CONNECTION_ERRORS,
  readChatConnection,
  usableAccount,
  type UsableChatAccount,
} from './chat-account.js';
export { DRIVER_CONFIGS, DRIVERS, type DriverName } from './drivers/config-schemas.js';
export { DriverRegistry } from './driver-registry.js';
export {
  type BusinessProfile,
  type BusinessProfileChanges,
  BusinessProfileClient,
} from './drivers/meta-cloud/business-profile.js';
export {
  PROVIDER_ERRORS,
  PROVIDER_SILENT,
  PROVIDER_UNREACHED,
  providerSilent,
} from './drivers/meta-cloud/accepted-answer.js';
export { providerErrorCode, providerErrorText } from './drivers/meta-cloud/error-codes.js';
export { type GraphAnswer, MetaCloudClient } from './drivers/meta-cloud/graph-client.js';
export type { GraphCall } from './drivers/meta-cloud/graph-exchange.js';
export type { GraphMessage } from './drivers/meta-cloud/messages.js';
export type { UploadedFile } from './drivers/meta-cloud/resumable-upload.js';
export {
  type TemplateAccount,
  TemplateClient,
  type TemplateCopy,
  type TemplateSubmission,
} from './drivers/meta-cloud/templates.js';
export { FORMER_SECRET_MS, formerSecret } from './former-secret.js';
export type { HeaderMedium } from './drivers/meta-cloud/template-samples.js';
export { type ChatAccountDraft, type ChatAccountRecord, ChatAccounts } from './persistence/chat-accounts.js';
export { ChatWindows } from './persistence/chat-windows.js';
export type { BindPlace } from './persistence/route-binds.js';
export { RouteDirectory, type RoutesOfKind } from './persistence/route-directory.js';
export { callbackPath, type RouteRecord, type RouteStop } from './persistence/route-record.js';
export { type CallEvent, CallScripts, type CallStep, type ScriptedCall } from './ports/call-script.js';
export { InboundSink, type InboundText } from './ports/inbound-sink.js';
export {
  type MessageDriver,
  OPERATOR_ROUTE_KINDS,
  type OperatorRouteKind,
  type CarrierDemands,
  type DltIds,
  type OutboundMessage,
  type ProviderCallback,
  type Receipt,
  ReceiptSink,
  type Route,
  type RouteConnection,
  type RouteKind,
  type SendOutcome,
} from './ports/message-driver.js';
export { TemplateStatusSink, type TemplateStatusUpdate } from './ports/template-status-sink.js';
export { ProvidersModule, ProvidersWorkerModule, RoutesModule } from './providers.module.js';
export { hostsOf, isSameAddress, keepSecrets, keepUrls, maskSecrets, maskUrls } from './secret-fields.js';
export { RouteConnections, type RouteState } from './route-connections.js';
export { RouteLogins } from './route-logins.js';
export {
  CIRCUIT_STATES,
  type CircuitState,
  ROUTE_HEALTHS,
  SHOWN_HEALTHS,
  type RouteHealth,
  RouteHealthBoard,
  type RouteStanding,
  type ShownHealth,
  UNHEARD,
  type WorkerStanding,
} from './route-health.js';
export { providerTables } from './persistence/table-rules.js';
export { type KnownState, RouteStates } from './persistence/route-states.js';
export { RouteStandings } from './route-standings.js';
export { RouteStateKeeper } from './route-state-keeper.js';
export { STOPPED } from './stoppable-connection.js';
