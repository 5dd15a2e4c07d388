import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { CampaignsModule } from '../campaigns/index.js';
import { UsedRoutes } from '../channels/broadcasts/index.js';
import { TemplateMessagesModule } from '../channels/template-messages/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { RoutesModule } from '../providers/index.js';
import { SenderIdsModule } from '../sender-ids/index.js';
import { SessionMessagesModule } from '../session-messages/index.js';
import { SendMessageHandler } from './messages.commands.js';
import { MessagesController } from './messages.controller.js';
import { FindMessageHandler, ListMessagesHandler } from './messages.queries.js';
import { MessageReader } from './messages.store.js';
import { SentRecipients } from './sent-recipients.store.js';

/** Single messages of all channels, and the list of what an account has sent and received. */
@Module({
  imports: [
    CqrsModule,
    AccountsModule,
    CampaignsModule,
    IdempotencyModule,
    RoutesModule,
    SenderIdsModule,
    SessionMessagesModule,
    TemplateMessagesModule,
  ],
  controllers: [MessagesController],
  providers: [MessageReader, SentRecipients, UsedRoutes, SendMessageHandler, FindMessageHandler, ListMessagesHandler],
  exports: [MessageReader, SendMessageHandler],
})
export class MessagesModule {}
