export type { RouteChain, RoutePlan } from './route-plan.js';
export { RoutingTables, type StoredRule } from './routing-tables.store.js';
export { routingTables } from './tables.js';
export { type RoutedSend, Routing } from './routing.js';
export { RoutingModule, RoutingAdminModule } from './routing.module.js';
export { AssertRoutesQuery } from './routing.queries.js';
export { routingErrors } from './routing.errors.js';
export { decimalOf, readMicros, type CostRow, PriceList } from './price-list.js';
export { LONGEST_PREFIX, isCategory } from './routing-form.js';
export {
  MOST_COSTS,
  type RouteCostList,
  RouteCosts,
  RouteSpend,
  type SpentMessage,
  MARGIN_GROUPS,
} from './route-costs.store.js';
export { MarginAnswer, marginCsv } from './margin.dto.js';
export { type CreditValue, GetMarginQuery } from './margin.queries.js';
