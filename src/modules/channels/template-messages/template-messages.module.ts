import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../../accounts/index.js';
import { EngineModule } from '../../engine/index.js';
import { IdempotencyModule } from '../../idempotency/index.js';
import { RoutesModule } from '../../providers/index.js';
import { TemplateLibraryModule } from '../../templates/index.js';
import { SendBrandedCampaignHandler, SendTemplateMessageHandler } from './template-messages.commands.js';
import { TemplateMessagesController } from './template-messages.controller.js';
import { ChatPrices } from './chat-prices.store.js';
import { ChatPriceEntity } from './tables.js';
import { SendableTemplates } from './sendable-templates.js';
import { TemplateQueue } from './template-queue.js';

/** Reads the provider's prices, in API and worker. */
@Module({ imports: [TypeOrmModule.forFeature([ChatPriceEntity])], providers: [ChatPrices], exports: [ChatPrices] })
export class ChatPricesModule {}

/** Template sends in the API: single, bulk, branded. */
@Module({
  imports: [
    CqrsModule,
    AccountsModule,
    ChatPricesModule,
    EngineModule,
    IdempotencyModule,
    RoutesModule,
    TemplateLibraryModule,
  ],
  providers: [SendTemplateMessageHandler, SendBrandedCampaignHandler, SendableTemplates, TemplateQueue],
  controllers: [TemplateMessagesController],
  exports: [SendableTemplates, TemplateQueue],
})
export class TemplateMessagesModule {}
