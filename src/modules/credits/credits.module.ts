import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  CreditBalanceEntity,
  ResellerGrantEntity,
  CreditLedgerEntity,
  CreditClosingEntity,
  CreditMonthEntity,
  UsageCounterEntity,
} from './tables.js';
import { CreditBook } from './credit-book.store.js';
import { ResellerCredits } from './reseller-credits.store.js';
import { LedgerClosings, LedgerKeeper } from './ledger.store.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { TrafficModule } from '../traffic/index.js';
import { BalanceAlerts } from './balance-alerts.store.js';
import {
  GetBalanceAlertsHandler,
  GetBalancesHandler,
  GetLedgerOpeningHandler,
  CreditProofs,
  GetUsageHandler,
  ListLedgerHandler,
  ProveCreditsHandler,
} from './credits.queries.js';
import { UsageReader } from './usage.store.js';

/** Balances and their ledger, without HTTP; accounts, admin and the campaign engine use it. */
@Module({
  imports: [
    CqrsModule,
    CustomerEventsModule,
    TrafficModule,
    TypeOrmModule.forFeature([
      CreditBalanceEntity,
      CreditLedgerEntity,
      ResellerGrantEntity,
      CreditClosingEntity,
      CreditMonthEntity,
      UsageCounterEntity,
    ]),
  ],
  providers: [
    CreditBook,
    ResellerCredits,
    BalanceAlerts,
    GetBalanceAlertsHandler,
    GetBalancesHandler,
    GetLedgerOpeningHandler,
    UsageReader,
    GetUsageHandler,
    ListLedgerHandler,
    ProveCreditsHandler,
    CreditProofs,
  ],
  exports: [BalanceAlerts, CreditBook, CreditProofs, ResellerCredits],
})
export class CreditsModule {}

@Module({ providers: [LedgerClosings, LedgerKeeper] })
export class CreditsWorkerModule {}
