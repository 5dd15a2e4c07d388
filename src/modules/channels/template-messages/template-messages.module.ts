import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../accounts/index.js';
import { ChannelOffers, ChannelRegistry, EngineModule } from '../../engine/index.js';
import { IdempotencyModule } from '../../idempotency/index.js';
import { RoutesModule } from '../../providers/index.js';
import { TemplateLibrary, TemplateLibraryModule } from '../../templates/index.js';
import { SendBrandedCampaignHandler } from './commands/send-branded-campaign.command.js';
import { SendTemplateMessageHandler } from './commands/send-template-message.command.js';
import { TemplateMessagesController } from './http/template-messages.controller.js';
import { brandedChannel, templateChannel } from './template.channels.js';
import { SendableTemplates } from './sendable-templates.js';
import { templateOffer } from './template.offers.js';
import { TemplateQueue } from './template-queue.js';

/** Template sends in the API: single, bulk, branded, and the channels' words for readers and receipts. */
@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, IdempotencyModule, RoutesModule, TemplateLibraryModule],
  providers: [SendTemplateMessageHandler, SendBrandedCampaignHandler, SendableTemplates, TemplateQueue],
  controllers: [TemplateMessagesController],
})
export class TemplateMessagesModule {
  constructor(channels: ChannelRegistry, offers: ChannelOffers, library: TemplateLibrary, sendable: SendableTemplates) {
    channels.register(templateChannel);
    channels.register(brandedChannel);
    offers.register(templateOffer('template', library, sendable));
    offers.register(templateOffer('branded', library, sendable));
  }
}
