export { WebhookEventsModule, WebhooksModule } from './webhooks.module.js';
export { WebhooksWorkerModule } from './webhooks.worker.module.js';
export { webhookTables } from './persistence/table-rules.js';
