import { firstIdAt } from '../../kernel/ids.js';
import type { TableRule } from '../../platform/periodic/index.js';

const DAY_MS = 86_400_000;
/** How long an account sees its verifications. */
const KEPT_DAYS = 90;

export const verificationTables: readonly TableRule[] = [
  {
    table: 'verifications',
    rule: 'age',
    column: 'id',
    valueAt: firstIdAt,
    keptMs: KEPT_DAYS * DAY_MS,
    moments: [{ column: 'look_at' }, { column: 'next_at' }, { column: 'expires_at' }],
  },
  { table: 'verification_texts', rule: 'kept', why: 'staff put and remove them, at most 1,000' },
  { table: 'verification_days', rule: 'age', column: 'day', keptMs: 400 * DAY_MS },
];
