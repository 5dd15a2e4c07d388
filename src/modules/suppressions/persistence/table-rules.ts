import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of stop lists. */
export const suppressionTables: readonly TableRule[] = [
  {
    table: 'suppressions',
    rule: 'kept',
    why: 'a number that said STOP stays stopped; SUPPRESSIONS_PER_ACCOUNT for the rest',
  },
];
