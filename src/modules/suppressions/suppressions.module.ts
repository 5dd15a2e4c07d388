import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { EngineModule, StopList } from '../engine/index.js';
import { ConsentSink, RoutesModule } from '../providers/index.js';
import {
  AddSuppressionsHandler,
  ImportSuppressionsHandler,
  RemoveSuppressionsHandler,
} from './suppressions.commands.js';
import { PutKeywordHandler, RemoveKeywordHandler } from './keywords/keywords.commands.js';
import { KeywordsController } from './keywords/keywords.controller.js';
import { KeywordStore } from './keywords/keywords.store.js';
import { MadeKeywords } from './keywords/made-keywords.js';
import { EarlyStopSweeper, EarlyStops } from './early-stops.store.js';
import { SuppressionsController } from './suppressions.controller.js';
import { SuppressionEntity } from './tables.js';
import { SuppressionStore } from './suppressions.store.js';
import { ListKeywordsHandler, ListSuppressionsHandler } from './suppressions.queries.js';
import { StopWords } from './stop-words.js';
import { AccountSuppressionsController } from './staff-suppressions.controller.js';
import { NumberSendersModule } from '../campaigns/index.js';

/** Global: the engine queries `StopList` and the providers call `ConsentSink`, but neither may import this module. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([SuppressionEntity]), EngineModule, NumberSendersModule, RoutesModule],
  providers: [
    SuppressionStore,
    EarlyStops,
    KeywordStore,
    StopWords,
    { provide: StopList, useExisting: SuppressionStore },
    { provide: ConsentSink, useExisting: StopWords },
  ],
  exports: [SuppressionStore, EarlyStops, KeywordStore, StopWords, StopList, ConsentSink],
})
export class SuppressionListModule {}

/** In the worker: retries early stop words. */
@Module({ imports: [SuppressionListModule], providers: [EarlyStopSweeper] })
export class SuppressionsWorkerModule {}

@Module({
  imports: [CqrsModule, AccountsModule, SuppressionListModule],
  controllers: [SuppressionsController, AccountSuppressionsController, KeywordsController],
  providers: [
    AddSuppressionsHandler,
    RemoveSuppressionsHandler,
    ImportSuppressionsHandler,
    ListSuppressionsHandler,
    PutKeywordHandler,
    RemoveKeywordHandler,
    ListKeywordsHandler,
    MadeKeywords,
  ],
})
export class SuppressionsModule {}
