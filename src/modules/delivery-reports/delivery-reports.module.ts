import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { SmsReportController, VoiceReportController } from './delivery-reports.controller.js';
import { OpenReportHandler } from './delivery-reports.queries.js';

/** Delivery reports. Status labels are the channel's; what a report of another channel adds is its summary. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule],
  providers: [OpenReportHandler],
  controllers: [SmsReportController, VoiceReportController],
})
export class DeliveryReportsModule {}
