import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { RoutesModule } from '../providers/index.js';
import { RoutingModule } from '../routing/index.js';
import { StatisticsModule } from '../statistics/index.js';
import { GuardedAddresses } from './commands/guarded-addresses.js';
import { MoveRouteHandler } from './commands/move-route.command.js';
import { StopRouteHandler } from './commands/stop-route.command.js';
import { TestRouteHandler } from './commands/test-route.command.js';
import { RouteStatusController } from './http/route-status.controller.js';
import { RouteStatusHandler } from './queries/route-status.query.js';
import { RouteWaitingHandler } from './queries/route-waiting.query.js';
import { RouteActionsController } from './http/route-actions.controller.js';
import { PutRouteCostsHandler } from './commands/put-route-costs.command.js';
import { PutRouteHandler } from './commands/put-route.command.js';
import { RemoveRouteHandler } from './commands/remove-route.command.js';
import { RotateCallbackSecretHandler } from './commands/rotate-callback-secret.command.js';
import { MarginController } from './http/margin.controller.js';
import { RouteCostsController } from './http/route-costs.controller.js';
import { RoutesController } from './http/routes.controller.js';
import { FindRouteCostsHandler } from './queries/find-route-costs.query.js';
import { ListRoutesHandler } from './queries/list-routes.query.js';

/** The admin API's part for routes. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule, RoutesModule, RoutingModule, StatisticsModule],
  controllers: [
    RouteStatusController,
    RouteActionsController,
    RoutesController,
    RouteCostsController,
    MarginController,
  ],
  providers: [
    MoveRouteHandler,
    PutRouteHandler,
    GuardedAddresses,
    RemoveRouteHandler,
    RotateCallbackSecretHandler,
    StopRouteHandler,
    TestRouteHandler,
    ListRoutesHandler,
    RouteStatusHandler,
    RouteWaitingHandler,
    PutRouteCostsHandler,
    FindRouteCostsHandler,
  ],
})
export class RoutesAdminModule {}
