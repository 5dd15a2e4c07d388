import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { RoutingAdminModule } from '../routing/index.js';
import { AdjustCreditsHandler } from './credits.commands.js';
import { AccountAccessController } from './staff-access.controller.js';
import { AccountsController, OpenAccountsController } from './staff-accounts.controller.js';
import { AccountSecondFactorController, AccountSessionsController } from './staff-sessions.controller.js';
import { CreditsController, UsageController } from './staff-credits.controller.js';

/** Accounts, access and credits for staff and resellers; depends on accounts, credits and routing. */
@Module({
  imports: [CqrsModule, AccountsModule, CreditsModule, RoutingAdminModule],
  controllers: [
    AccountsController,
    OpenAccountsController,
    AccountAccessController,
    AccountSessionsController,
    AccountSecondFactorController,
    CreditsController,
    UsageController,
  ],
  providers: [AdjustCreditsHandler],
})
export class ManagedAccountsModule {}
