import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../../accounts/index.js';
import { EngineModule } from '../../engine/index.js';
import { IdempotencyModule } from '../../idempotency/index.js';
import { RoutesModule } from '../../providers/index.js';
import { TemplateLibraryModule } from '../../templates/index.js';
import { SendBrandedCampaignHandler } from './commands/send-branded-campaign.command.js';
import { SendTemplateMessageHandler } from './commands/send-template-message.command.js';
import { TemplateMessagesController } from './http/template-messages.controller.js';
import { SendableTemplates } from './sendable-templates.js';
import { TemplateQueue } from './template-queue.js';

/** Template sends in the API: single, bulk, branded. */
@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, IdempotencyModule, RoutesModule, TemplateLibraryModule],
  providers: [SendTemplateMessageHandler, SendBrandedCampaignHandler, SendableTemplates, TemplateQueue],
  controllers: [TemplateMessagesController],
  exports: [SendableTemplates],
})
export class TemplateMessagesModule {}
