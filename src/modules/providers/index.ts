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
export { DriverRegistry, RouteLogins } from './driver-registry.js';
export {
  type Failure,
  FAILURE_CODES,
  FAILURE_KINDS,
  type FailureKind,
  failureKind,
  type FailureSource,
  type FailureTerms,
  LASTING_KINDS,
  type OptOut,
  optOutOf,
  ownKinds,
} from './drivers/failure-kinds.js';
export { failureWords, type FailureWords } from './drivers/failure-words.js';
export { isTestRoute, TEST_ROUTE_IDS, testOutcome, testReceipt } from './drivers/test/test.driver.js';
export { DRIVER_CONFIGS, DRIVER_NAMES, type DriverName, DRIVERS, unknownSettings } from './drivers.js';
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
  providerErrorCode,
  providerErrorText,
} from './drivers/meta-cloud/answers.js';
export { type GraphAnswer, MetaCloudClient } from './drivers/meta-cloud/graph-client.js';
export type { UploadedFile } from './drivers/meta-cloud/resumable-upload.js';
export {
  type TemplateAccount,
  TemplateClient,
  type TemplateCopy,
  type TemplateSubmission,
  type HeaderMedium,
} from './drivers/meta-cloud/templates.js';
export { formerSecret, hostsOf, isSameAddress, keepSecrets, keepUrls, maskSecrets, maskUrls } from './secrets.js';
export { type ChatAccountDraft, type ChatAccountRecord, ChatAccounts } from './chat-accounts.store.js';
export { ChatWindows } from './chat-inbox.store.js';
export { ChatNumberPairs } from './chat-number-pairs.store.js';
export { ChatNotices, MOST_KINDS, MOST_NOTICES } from './chat/chat-notices.store.js';
export type { BindSlot } from './binds/route-binds.store.js';
export { RouteDirectory, type RoutesOfKind, callbackPath, type RouteRecord, type RouteStop } from './routes.store.js';
export { type CallEvent, CallScripts, type CallStep, type ScriptedCall } from './call-script.js';
export {
  ConsentSink,
  type InboundDelivery,
  InboundSink,
  type InboundSms,
  type InboundText,
  type MessageDriver,
  OPERATOR_ROUTE_KINDS,
  type OperatorRouteKind,
  type CarrierDemands,
  type DltIds,
  type OutboundMessage,
  type ProviderPricing,
  type Receipt,
  ReceiptSink,
  type Route,
  type RouteConnection,
  type RouteKind,
  type SendOutcome,
} from './message-driver.js';
export { TemplateStatusSink, type TemplateUpdate } from './drivers/meta-cloud/callbacks.js';
export { ProvidersModule, ProvidersWorkerModule, RoutesModule } from './providers.module.js';
export { RouteConnections, type RouteState, STOPPED } from './route-connections.js';
export {
  CIRCUIT_STATES,
  type CircuitState,
  ROUTE_HEALTHS,
  SHOWN_HEALTHS,
  type RouteHealth,
  RouteHealthBoard,
  type RouteStanding,
  type ShownHealth,
  UNREPORTED,
} from './route-health.js';
export { providerTables } from './tables.js';
export { type KnownState, RouteStates, RouteStandings } from './route-standings.js';
