import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CreditsModule } from '../credits/index.js';
import { ProfileRequestsModule } from '../profile-requests/index.js';
import { RoutingAdminModule } from '../routing/index.js';
import { SenderIdsModule } from '../sender-ids/index.js';
import { TemplatesModule } from '../templates/index.js';
import { AdminPageModule } from './admin-page.module.js';
import { CampaignsAdminModule } from './campaigns-admin.module.js';
import { ChatAccountsAdminModule } from './chat-accounts-admin.module.js';
import { AdjustCreditsHandler } from './commands/adjust-credits.command.js';
import { AccountAccessController } from './http/account-access.controller.js';
import { AccountSuppressionsController } from './http/account-suppressions.controller.js';
import { OpenAccountsController } from './http/open-accounts.controller.js';
import { AccountsController } from './http/accounts.controller.js';
import { AuditController } from './http/audit.controller.js';
import { CreditsController } from './http/credits.controller.js';
import { ProfileRequestsAdminController } from './http/profile-requests.controller.js';
import { SecurityLogController } from './http/security-log.controller.js';
import { SenderIdsAdminController } from './http/sender-ids.controller.js';
import { UsageController } from './http/usage.controller.js';
import { TemplatesAdminController } from './http/templates.controller.js';
import { WebhooksAdminController } from './http/webhooks.controller.js';
import { RatesAdminModule } from './rates-admin.module.js';
import { RoutesAdminModule } from './routes-admin.module.js';

/** The admin API: thin controllers over the features' commands and queries. Only the API imports it. */
@Module({
  imports: [
    CqrsModule,
    AccountsModule,
    CreditsModule,
    TemplatesModule,
    ProfileRequestsModule,
    SenderIdsModule,
    RoutesAdminModule,
    RatesAdminModule,
    RoutingAdminModule,
    ChatAccountsAdminModule,
    CampaignsAdminModule,
    AdminPageModule,
  ],
  controllers: [
    AccountsController,
    OpenAccountsController,
    AccountAccessController,
    AccountSuppressionsController,
    CreditsController,
    UsageController,
    AuditController,
    SecurityLogController,
    WebhooksAdminController,
    TemplatesAdminController,
    ProfileRequestsAdminController,
    SenderIdsAdminController,
  ],
  providers: [AdjustCreditsHandler],
})
export class AdminModule {}
