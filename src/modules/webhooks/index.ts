export { CUSTOMER_EVENT_TYPES } from './events.js';
export { documentedEvents } from './events.dto.js';
export { WebhookEventsModule, WebhooksModule, WebhooksWorkerModule } from './webhooks.module.js';
export { FailingEndpoints, WebhookBacklog } from './endpoint-health.store.js';
export { webhookTables } from './tables.js';
