import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CreditBalanceEntity } from './persistence/credit-balance.entity.js';
import { CreditBook } from './persistence/credit-book.js';
import { ResellerCredits } from './persistence/reseller-credits.js';
import { ResellerGrantEntity } from './persistence/reseller-grant.entity.js';
import { CreditLedgerEntity } from './persistence/credit-ledger.entity.js';
import { CreditClosingEntity, CreditMonthEntity } from './persistence/credit-closing.entities.js';
import { UsageCounterEntity } from './persistence/usage-counter.entity.js';
import { LedgerClosings } from './persistence/ledger-closings.js';
import { LedgerKeeper } from './ledger-keeper.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { TrafficModule } from '../traffic/index.js';
import { BalanceAlerts } from './persistence/balance-alerts.js';
import { GetBalanceAlertsHandler } from './queries/get-balance-alerts.query.js';
import { GetBalancesHandler } from './queries/get-balances.query.js';
import { GetLedgerOpeningHandler } from './queries/get-ledger-opening.query.js';
import { CreditProofs } from './credit-proofs.js';
import { UsageReader } from './persistence/usage-reader.js';
import { GetUsageHandler } from './queries/get-usage.query.js';
import { ListLedgerHandler } from './queries/list-ledger.query.js';
import { ProveCreditsHandler } from './queries/prove-credits.query.js';

/** Balances and their ledger. Has no HTTP of its own: accounts, admin and the campaign engine use it. */
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

/** In the worker: months of the ledger are closed. */
@Module({ providers: [LedgerClosings, LedgerKeeper] })
export class CreditsWorkerModule {}
