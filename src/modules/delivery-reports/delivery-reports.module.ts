import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { SmsReportController } from './http/sms-report.controller.js';
import { VoiceReportController } from './http/voice-report.controller.js';
import { OpenReportHandler } from './queries/open-report.query.js';

/** Delivery reports. Status labels are the channel's; what a report of another channel adds is its summary. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignsModule],
  providers: [OpenReportHandler],
  controllers: [SmsReportController, VoiceReportController],
})
export class DeliveryReportsModule {}
