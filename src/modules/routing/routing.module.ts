import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule } from '../accounts/index.js';
import { RoutesModule } from '../providers/index.js';
import { RoutingTableEntity } from './persistence/routing-table.entity.js';
import { RoutingTables } from './persistence/routing-tables.js';
import { Routing } from './routing.js';

/** Which routes sends leave over, for every process. */
@Module({
  imports: [TypeOrmModule.forFeature([RoutingTableEntity]), AccountDirectoryModule, RoutesModule],
  providers: [Routing, RoutingTables],
  exports: [Routing, RoutingTables],
})
export class RoutingModule {}
