import type { TableRule } from '../../../platform/tables/index.js';
import { KEPT_HOURS, LEASE_SECONDS } from '../domain/idempotent-request.js';

/** What becomes of idempotency keys (reference/idempotency#idempotency-key). */
export const idempotencyTables: readonly TableRule[] = [
  {
    table: 'idempotency_keys',
    rule: 'age',
    column: 'created_at',
    keptMs: KEPT_HOURS * 3_600_000,
    moments: [{ column: 'lease_until', longest: LEASE_SECONDS * 1_000 }],
  },
];
