import { firstIdAt } from '../../../kernel/ids.js';
import type { TableRule } from '../../../platform/tables/index.js';
import { isFinal, RecipientStatus } from '../../engine/index.js';

const FINAL = Object.values(RecipientStatus).filter(
  (status): status is RecipientStatus => typeof status === 'number' && isFinal(status),
);

/** What becomes of session messages: those that are open, or were until lately, stay. */
export const sessionMessageTables: readonly TableRule[] = [
  {
    table: 'session_messages',
    rule: 'age',
    column: 'id',
    valueAt: firstIdAt,
    moments: [{ column: 'due_at', notBefore: 'scheduled_at' }],
    onlyIf: `status IN (${FINAL.join(', ')}) AND updated_at < ?`,
  },
];
