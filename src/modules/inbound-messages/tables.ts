import type { TableRule } from '../../platform/periodic/index.js';

const DAY_MS = 86_400_000;

export const inboundMessageTables: readonly TableRule[] = [
  {
    table: 'inbound_messages',
    rule: 'age',
    column: 'received_at',
    keptDays: 'INBOUND_DAYS',
    moments: [{ column: 'owner_due' }, { column: 'reply_due' }],
  },
  { table: 'inbound_deliveries', rule: 'age', column: 'repeatable_until', keptMs: DAY_MS },
  {
    table: 'inbound_parts',
    rule: 'work',
    moments: [{ column: 'due_at' }],
    why: 'a worker puts together what has waited for INBOUND_PARTS_TIMEOUT',
  },
  { table: 'inbound_numbers', rule: 'kept', why: 'staff add and remove them' },
  { table: 'inbound_answers', rule: 'age', column: 'answered_at', keptMs: 2 * DAY_MS },
];
