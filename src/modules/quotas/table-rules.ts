import type { TableRule } from '../../platform/tables/index.js';

/** What becomes of the counts of what an account may have. */
export const quotaTables: readonly TableRule[] = [
  { table: 'account_quotas', rule: 'kept', why: 'a few of each account' },
  { table: 'account_storage', rule: 'kept', why: 'one row an account' },
];
