import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignEngineModule, ChannelRegistry } from '../campaigns/index.js';
import { RoutesModule } from '../providers/index.js';
import { TemplateLibraryModule } from '../templates/index.js';
import { SendBrandedCampaignHandler } from './commands/send-branded-campaign.handler.js';
import { SendTemplateMessageHandler } from './commands/send-template-message.handler.js';
import { TemplateMessagesController } from './http/template-messages.controller.js';
import { brandedChannel, templateChannel } from './template.channels.js';
import { TemplateQueue } from './template-queue.js';

/** Template sends in the API: single, bulk, branded, and the channels' words for readers and receipts. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignEngineModule, RoutesModule, TemplateLibraryModule],
  providers: [SendTemplateMessageHandler, SendBrandedCampaignHandler, TemplateQueue],
  controllers: [TemplateMessagesController],
})
export class TemplateMessagesModule {
  constructor(channels: ChannelRegistry) {
    channels.register(templateChannel);
    channels.register(brandedChannel);
  }
}
