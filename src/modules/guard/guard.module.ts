import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { Conversions } from './conversions.js';
import { Freezes } from './freezes.store.js';
import { Guard } from './guard.js';
import { GuardCounters } from './guard-counters.js';
import { ChangeGuardHandler, ReleaseFreezeHandler } from './guard.commands.js';
import { FreezesController, GuardTermsController, OwnLimitsController } from './guard.controller.js';
import { GetGuardHandler, ListFreezesHandler } from './guard.queries.js';
import { AccountFreezeEntity } from './tables.js';

/** What accounts may send, checked in every process that accepts sends. */
@Module({
  imports: [TypeOrmModule.forFeature([AccountFreezeEntity]), AccountDirectoryModule, CustomerEventsModule],
  providers: [Conversions, Freezes, Guard, GuardCounters],
  exports: [Conversions, Freezes, Guard, GuardCounters],
})
export class GuardModule {}

/** In the API: terms, limits and freezes, for staff and owners. */
@Module({
  imports: [CqrsModule, AccountsModule, GuardModule],
  controllers: [OwnLimitsController, GuardTermsController, FreezesController],
  providers: [ChangeGuardHandler, ReleaseFreezeHandler, GetGuardHandler, ListFreezesHandler],
})
export class GuardApiModule {}
