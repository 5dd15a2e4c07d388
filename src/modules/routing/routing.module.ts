import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule } from '../accounts/index.js';
import { RoutesModule } from '../providers/index.js';
import { RouteCostEntity, RoutePriceListEntity, RouteSpendEntity } from './persistence/route-cost.entities.js';
import { RouteCosts } from './persistence/route-costs.js';
import { RouteSpend } from './persistence/route-spend.js';
import { RoutingTableEntity } from './persistence/routing-table.entity.js';
import { RoutingTables } from './persistence/routing-tables.js';
import { Routing } from './routing.js';

/** Which routes sends leave over, for every process. */
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
