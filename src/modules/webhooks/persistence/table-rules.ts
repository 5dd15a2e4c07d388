import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of events to customers. */
export const webhookTables: readonly TableRule[] = [
  { table: 'webhook_endpoints', rule: 'kept', why: 'WEBHOOKS_PER_ACCOUNT; the webhook sweeper takes removed ones' },
  { table: 'webhook_events', rule: 'work', why: 'the webhook sweeper removes what is older than 30 days' },
  { table: 'webhook_deliveries', rule: 'work', why: 'gone once it has arrived or is given up' },
  { table: 'webhook_attempts', rule: 'work', why: 'the webhook sweeper removes what is older than 30 days' },
];
