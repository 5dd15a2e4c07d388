import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of profile requests. */
export const profileRequestTables: readonly TableRule[] = [
  { table: 'profile_requests', rule: 'kept', why: 'PROFILE_REQUESTS_PER_ACCOUNT' },
];
