import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { CampaignsAdminController } from './http/campaigns.controller.js';

/** The admin API's part for campaigns. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule],
  controllers: [CampaignsAdminController],
})
export class CampaignsAdminModule {}
