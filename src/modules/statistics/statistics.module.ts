import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { RoutesModule } from '../providers/index.js';
import { TrafficModule } from '../traffic/index.js';
import { OwnStatisticsController } from './http/own-statistics.controller.js';
import { StatisticsController } from './http/statistics.controller.js';
import { trafficEntities } from './persistence/traffic.entities.js';
import { TrafficReader } from './persistence/traffic-reader.js';
import { TrafficStore } from './persistence/traffic-store.js';
import { GetStatisticsHandler } from './queries/get-statistics.query.js';
import { RouteFigures } from './route-figures.js';
import { TrafficMetrics } from './traffic-metrics.js';
import { TrafficWriter } from './traffic-writer.js';

/** In every process that sends, takes receipts or charges: what it counts is written. */
@Module({
  imports: [TypeOrmModule.forFeature(trafficEntities), RoutesModule, TrafficModule],
  providers: [TrafficStore, TrafficMetrics, TrafficWriter, TrafficReader, RouteFigures],
  exports: [TrafficReader, RouteFigures],
})
export class StatisticsWorkerModule {}

/** The same in the API, with what is shown of it. */
@Module({
  imports: [CqrsModule, AccountsModule, RoutesModule, StatisticsWorkerModule],
  controllers: [StatisticsController, OwnStatisticsController],
  providers: [GetStatisticsHandler],
  exports: [StatisticsWorkerModule],
})
export class StatisticsModule {}
