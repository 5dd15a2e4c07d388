import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of the rules that choose routes. */
export const routingTables: readonly TableRule[] = [
  { table: 'routing_tables', rule: 'kept', why: 'staff make and remove them, 20 at the most' },
];
