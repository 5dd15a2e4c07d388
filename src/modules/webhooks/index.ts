export { CUSTOMER_EVENT_TYPES } from './events.js';
export { documentedEvents } from './events.dto.js';
export { WebhookEventsModule, WebhooksModule, WebhooksWorkerModule } from './webhooks.module.js';
export { type FailingEndpoint, FailingEndpoints, WebhookBacklog } from './endpoint-health.store.js';
export { webhookTables } from './tables.js';
export { ReplayAnyEventCommand } from './events.commands.js';
export { WEBHOOK_STATUSES, type WebhookStatus } from './webhook.js';
export {
  type StaffWebhookData,
  StaffWebhookAnswer,
  StaffWebhookPageAnswer,
  type AttemptData,
  AttemptPageAnswer,
  readWebhookId,
  ReplayAnswer,
  replayAnswer,
} from './webhooks.dto.js';
export {
  FindAnyWebhookQuery,
  ListAllWebhooksQuery,
  type WebhookFilter,
  ListAnyAttemptsQuery,
} from './webhooks.queries.js';
export { webhookErrors } from './webhooks.errors.js';
