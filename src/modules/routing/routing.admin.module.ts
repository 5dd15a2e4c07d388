import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { RoutesModule } from '../providers/index.js';
import { AccountNames } from './account-names.js';
import { PutRoutingTableHandler } from './commands/put-routing-table.command.js';
import { RemoveRoutingTableHandler } from './commands/remove-routing-table.command.js';
import { MarginReader } from './persistence/margin-reader.js';
import { GetMarginHandler } from './queries/get-margin.query.js';
import { RoutingController } from './http/routing.controller.js';
import { AssertRoutesHandler } from './queries/assert-routes.query.js';
import { ExplainRoutingHandler } from './queries/explain-routing.query.js';
import { GetRoutingTableHandler } from './queries/get-routing-table.query.js';
import { ListRoutingTablesHandler } from './queries/list-routing-tables.query.js';
import { RoutingModule } from './routing.module.js';

/** What staff see and change of the routing; only the API imports it. */
@Module({
  imports: [CqrsModule, AccountsModule, RoutesModule, RoutingModule],
  controllers: [RoutingController],
  providers: [
    AccountNames,
    AssertRoutesHandler,
    GetMarginHandler,
    MarginReader,
    ExplainRoutingHandler,
    GetRoutingTableHandler,
    ListRoutingTablesHandler,
    PutRoutingTableHandler,
    RemoveRoutingTableHandler,
  ],
})
export class RoutingAdminModule {}
