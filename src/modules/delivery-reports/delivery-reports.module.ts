import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { SmsReportController, VoiceReportController } from './delivery-reports.controller.js';
import { OpenReportHandler } from './delivery-reports.queries.js';

/** Delivery reports. Each channel has its own status labels and summary. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule],
  providers: [OpenReportHandler],
  controllers: [SmsReportController, VoiceReportController],
})
export class DeliveryReportsModule {}
