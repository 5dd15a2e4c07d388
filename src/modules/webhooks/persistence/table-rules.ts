import { idBound } from '../../../platform/database/index.js';
import type { TableRule } from '../../../platform/tables/index.js';
import { KEPT_DAYS, LONGEST_DELIVERY_DAYS } from '../domain/webhook.js';
import { firstEventIdAt } from './event-id.js';

/** An event stays at least until it may have been tried for the last time. */
const DAYS = { mostDays: KEPT_DAYS, leastDays: LONGEST_DELIVERY_DAYS };

/** What becomes of events to customers. */
export const webhookTables: readonly TableRule[] = [
  {
    table: 'webhook_endpoints',
    rule: 'kept',
    why: 'WEBHOOKS_PER_ACCOUNT; the webhook sweeper takes removed ones',
    moments: [
      { column: 'lease_until', longest: 'WEBHOOK_LEASE' },
      { column: 'held_until' },
      { column: 'next_due_at' },
      { column: 'failing_since', longest: 0 },
    ],
  },
  { table: 'webhook_events', rule: 'days', bound: (start) => `'${firstEventIdAt(start)}'`, ...DAYS },
  {
    table: 'webhook_deliveries',
    rule: 'work',
    why: 'gone once it has arrived or is given up',
    moments: [{ column: 'due_at' }],
  },
  { table: 'webhook_counters', rule: 'age', column: 'period', keptMs: KEPT_DAYS * 86_400_000 },
  { table: 'webhook_attempts', rule: 'days', bound: idBound, ...DAYS },
];
