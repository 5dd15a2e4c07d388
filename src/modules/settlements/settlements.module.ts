import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { AuditDaysController, DayPlaceController } from './house-days.controller.js';
import { CheckAuditDayHandler, GetDayPlaceHandler } from './house-days.queries.js';
import { HouseDays } from './house-days.store.js';
import { SettledRows } from './settled-rows.js';
import { SettlementErasure } from './settlement-erasure.js';
import { SettlementKey } from './settlement-key.js';
import { SettlementMaker } from './settlement-maker.js';
import { SettlementReader } from './settlement-reader.js';
import {
  CampaignSettlementController,
  SettlementKeysController,
  SettlementsController,
} from './settlements.controller.js';
import {
  GetProofHandler,
  GetSettlementHandler,
  GetSettlementKeysHandler,
  ListSettlementsHandler,
  OpenBundleHandler,
  SettledFor,
} from './settlements.queries.js';
import { SettlementStore } from './settlements.store.js';
import { settlementEntities } from './tables.js';

/** In the API: settlements and proofs. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule, TypeOrmModule.forFeature(settlementEntities)],
  controllers: [
    CampaignSettlementController,
    DayPlaceController,
    SettlementsController,
    SettlementKeysController,
    AuditDaysController,
  ],
  providers: [
    CheckAuditDayHandler,
    GetDayPlaceHandler,
    HouseDays,
    GetProofHandler,
    GetSettlementHandler,
    GetSettlementKeysHandler,
    ListSettlementsHandler,
    OpenBundleHandler,
    SettledFor,
    SettledRows,
    SettlementErasure,
    SettlementReader,
  ],
  exports: [SettlementErasure],
})
export class SettlementsModule {}

/** In the worker: issues them. */
@Module({
  imports: [AccountDirectoryModule, CustomerEventsModule, TypeOrmModule.forFeature(settlementEntities)],
  providers: [HouseDays, SettledRows, SettlementKey, SettlementMaker, SettlementStore],
})
export class SettlementsWorkerModule {}
