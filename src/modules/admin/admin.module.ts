import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { AdjustCreditsHandler } from './commands/adjust-credits.handler.js';
import { AccountsController } from './http/accounts.controller.js';
import { AuditController } from './http/audit.controller.js';
import { CreditsController } from './http/credits.controller.js';
import { RoutesAdminModule } from './routes-admin.module.js';

/** The admin API: thin controllers over the features' commands and queries. Nobody imports it but the API. */
@Module({
  imports: [CqrsModule, AccountsModule, CreditsModule, RoutesAdminModule],
  controllers: [AccountsController, CreditsController, AuditController],
  providers: [AdjustCreditsHandler],
})
export class AdminModule {}
