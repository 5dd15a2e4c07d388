import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { RoutesModule } from '../providers/index.js';
import { RoutingModule } from '../routing/index.js';
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
  imports: [CqrsModule, AccountsModule, CampaignsModule, RoutesModule, RoutingModule],
  controllers: [RoutesController, RouteCostsController, MarginController],
  providers: [
    PutRouteHandler,
    RemoveRouteHandler,
    RotateCallbackSecretHandler,
    ListRoutesHandler,
    PutRouteCostsHandler,
    FindRouteCostsHandler,
  ],
})
export class RoutesAdminModule {}
