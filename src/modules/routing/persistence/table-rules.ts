import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of the rules that choose routes, and of what routes cost. */
export const routingTables: readonly TableRule[] = [
  { table: 'routing_tables', rule: 'kept', why: 'staff make and remove them, 20 at the most' },
  { table: 'route_price_lists', rule: 'kept', why: 'one of a route that has costs' },
  { table: 'route_costs', rule: 'kept', why: 'staff make and remove them, 10,000 of a route at the most' },
  {
    table: 'route_spend',
    rule: 'kept',
    why: 'what a day cost, by route, account, channel and calling code: some rows of an account and a day on which it sent',
  },
];
