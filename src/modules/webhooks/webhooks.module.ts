import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { CampaignEngineModule } from '../campaigns/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { ChangeWebhookHandler } from './commands/change-webhook.handler.js';
import { CreateWebhookHandler } from './commands/create-webhook.handler.js';
import { RemoveWebhookHandler } from './commands/remove-webhook.handler.js';
import { ReplayEventHandler } from './commands/replay-event.handler.js';
import { RotateSecretHandler } from './commands/rotate-secret.handler.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { EndpointStore } from './persistence/endpoint-store.js';
import { EventJournal } from './persistence/event-journal.js';
import { EventStore } from './persistence/event-store.js';
import { webhookEntities } from './persistence/webhook.entities.js';
import { GetWebhookHandler } from './queries/get-webhook.handler.js';
import { ListAttemptsHandler } from './queries/list-attempts.handler.js';
import { ListWebhooksHandler } from './queries/list-webhooks.handler.js';
import { RecipientAttempts } from './recipient-attempts.js';

/** What every process has of webhooks: events are written where their statuses are. */
@Module({
  imports: [TypeOrmModule.forFeature(webhookEntities), CustomerEventsModule],
  providers: [EventJournal],
  exports: [EventJournal, TypeOrmModule],
})
export class WebhookEventsModule {}

/** Webhooks in the API: what owners do with them. */
@Module({
  imports: [CqrsModule, AccountsModule, CampaignEngineModule, WebhookEventsModule],
  controllers: [WebhooksController],
  providers: [
    ChangeWebhookHandler,
    CreateWebhookHandler,
    EndpointStore,
    EventStore,
    GetWebhookHandler,
    ListAttemptsHandler,
    ListWebhooksHandler,
    RecipientAttempts,
    RemoveWebhookHandler,
    ReplayEventHandler,
    RotateSecretHandler,
  ],
})
export class WebhooksModule {}
