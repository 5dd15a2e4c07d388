import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { RoutesModule } from '../providers/index.js';
import { TrafficModule } from '../traffic/index.js';
import { OwnStatisticsController, StatisticsController } from './statistics.controller.js';
import { trafficEntities } from './tables.js';
import { TrafficReader, TrafficStore } from './traffic.store.js';
import { GetStatisticsHandler } from './statistics.queries.js';
import { RouteFigures } from './route-figures.js';
import { TrafficMetrics, TrafficWriter } from './traffic-writer.js';

/** In every process that counts traffic: writes the counters. */
@Module({
  imports: [TypeOrmModule.forFeature(trafficEntities), RoutesModule, TrafficModule],
  providers: [TrafficStore, TrafficMetrics, TrafficWriter, TrafficReader, RouteFigures],
  exports: [TrafficReader, RouteFigures],
})
export class StatisticsWorkerModule {}

/** In the API: writes counters and serves charts. */
@Module({
  imports: [CqrsModule, AccountsModule, RoutesModule, StatisticsWorkerModule],
  controllers: [StatisticsController, OwnStatisticsController],
  providers: [GetStatisticsHandler],
  exports: [StatisticsWorkerModule],
})
export class StatisticsModule {}
