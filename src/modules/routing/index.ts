export type { RouteChain, RoutePlan } from './domain/route-plan.js';
export { RoutingTables } from './persistence/routing-tables.js';
export { routingTables } from './persistence/table-rules.js';
export { type RoutedSend, Routing } from './routing.js';
export { RoutingModule } from './routing.module.js';
export { RoutingAdminModule } from './routing.admin.module.js';
export { AssertRoutesQuery } from './queries/assert-routes.query.js';
export { routingErrors } from './routing.errors.js';
