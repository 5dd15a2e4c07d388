import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { RoutesModule } from '../providers/index.js';
import { RoutingModule } from '../routing/index.js';
import { StatisticsModule } from '../statistics/index.js';
import { PutChatAccountHandler, RemoveChatAccountHandler } from './chat-accounts.commands.js';
import { CountChatNoticesHandler, ListChatNoticesHandler } from './chat-notices.queries.js';
import { ChatNoticesController } from './staff-chat-notices.controller.js';
import { FindChatAccountHandler } from './chat-accounts.queries.js';
import { MoveRouteHandler, StopRouteHandler, TestRouteHandler } from './route-actions.commands.js';
import { PutRouteCostsHandler } from './route-costs.commands.js';
import { RouteStatusHandler, RouteWaitingHandler } from './route-status.queries.js';
import {
  GuardedAddresses,
  PutRouteHandler,
  RemoveRouteHandler,
  RotateCallbackSecretHandler,
} from './routes.commands.js';
import { FindRouteCostsHandler, ListRoutesHandler } from './routes.queries.js';
import { ChatAccountsController } from './staff-chat-accounts.controller.js';
import { RouteActionsController } from './staff-route-actions.controller.js';
import { MarginController, RouteCostsController } from './staff-route-costs.controller.js';
import { RoutesController, RouteStatusController } from './staff-routes.controller.js';

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

@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule, RoutesModule],
  controllers: [ChatAccountsController, ChatNoticesController],
  providers: [
    GuardedAddresses,
    PutChatAccountHandler,
    RemoveChatAccountHandler,
    FindChatAccountHandler,
    ListChatNoticesHandler,
    CountChatNoticesHandler,
  ],
})
export class ChatAccountsAdminModule {}
