export type { RouteChain, RoutePlan } from './domain/route-plan.js';
export { RoutingTables } from './persistence/routing-tables.js';
export { routingTables } from './persistence/table-rules.js';
export { type RoutedSend, Routing } from './routing.js';
export { RoutingModule } from './routing.module.js';
