import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { EngineModule, StopList } from '../engine/index.js';
import { InboundSink, RoutesModule } from '../providers/index.js';
import {
  AddSuppressionsHandler,
  ImportSuppressionsHandler,
  RemoveSuppressionsHandler,
} from './suppressions.commands.js';
import { EarlyStopSweeper, EarlyStops } from './early-stops.store.js';
import { SuppressionsController } from './suppressions.controller.js';
import { SuppressionEntity } from './tables.js';
import { SuppressionStore } from './suppressions.store.js';
import { ListSuppressionsHandler } from './suppressions.queries.js';
import { StopWords } from './stop-words.js';
import { AccountSuppressionsController } from './staff-suppressions.controller.js';
import { NumberSendersModule } from '../campaigns/index.js';

/** Global: the engine queries `StopList` and the providers call `InboundSink`, but neither may import this module. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([SuppressionEntity]), EngineModule, NumberSendersModule, RoutesModule],
  providers: [
    SuppressionStore,
    EarlyStops,
    StopWords,
    { provide: StopList, useExisting: SuppressionStore },
    { provide: InboundSink, useExisting: StopWords },
  ],
  exports: [SuppressionStore, EarlyStops, StopList, InboundSink],
})
export class SuppressionListModule {}

/** In the worker: retries early stop words. */
@Module({ imports: [SuppressionListModule], providers: [EarlyStopSweeper] })
export class SuppressionsWorkerModule {}

@Module({
  imports: [CqrsModule, AccountsModule, SuppressionListModule],
  controllers: [SuppressionsController, AccountSuppressionsController],
  providers: [AddSuppressionsHandler, RemoveSuppressionsHandler, ImportSuppressionsHandler, ListSuppressionsHandler],
})
export class SuppressionsModule {}
