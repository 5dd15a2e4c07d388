import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { RoutesModule } from '../providers/index.js';
import { GetMarginHandler } from './margin.queries.js';
import { MarginReader, RouteCosts, RouteSpend } from './route-costs.store.js';
import { RoutingTables } from './routing-tables.store.js';
import { PutRoutingTableHandler, RemoveRoutingTableHandler } from './routing.commands.js';
import { RoutingController } from './routing.controller.js';
import { Routing } from './routing.js';
import {
  AccountNames,
  AssertRoutesHandler,
  ExplainRoutingHandler,
  GetRoutingTableHandler,
  ListRoutingTablesHandler,
} from './routing.queries.js';
import { RouteCostEntity, RoutePriceListEntity, RouteSpendEntity, RoutingTableEntity } from './tables.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([RoutingTableEntity, RoutePriceListEntity, RouteCostEntity, RouteSpendEntity]),
    AccountDirectoryModule,
    RoutesModule,
  ],
  providers: [Routing, RoutingTables, RouteCosts, RouteSpend],
  exports: [Routing, RoutingTables, RouteCosts, RouteSpend],
})
export class RoutingModule {}

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
