import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of rate plans. */
export const rateTables: readonly TableRule[] = [
  { table: 'rate_plans', rule: 'kept', why: 'staff make them, and remove them' },
  { table: 'rate_plan_rows', rule: 'kept', why: '10,000 a plan at most' },
];
