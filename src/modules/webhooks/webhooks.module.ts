import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { EngineModule } from '../engine/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { ChangeWebhookHandler } from './commands/change-webhook.command.js';
import { CreateWebhookHandler } from './commands/create-webhook.command.js';
import { RemoveWebhookHandler } from './commands/remove-webhook.command.js';
import { ReplayEventHandler } from './commands/replay-event.command.js';
import { RotateSecretHandler } from './commands/rotate-secret.command.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { EndpointMoments } from './persistence/endpoint-moments.js';
import { EndpointStore } from './persistence/endpoint-store.js';
import { EventOutbox } from './persistence/event-outbox.js';
import { EventStore } from './persistence/event-store.js';
import { webhookEntities } from './persistence/webhook.entities.js';
import { GetWebhookHandler } from './queries/get-webhook.query.js';
import { ListAttemptsHandler } from './queries/list-attempts.query.js';
import { ListWebhooksHandler } from './queries/list-webhooks.query.js';
import { RecipientAttempts } from './recipient-attempts.js';

/** What every process has of webhooks: events are written where their statuses are. */
@Module({
  imports: [TypeOrmModule.forFeature(webhookEntities), CustomerEventsModule],
  providers: [EndpointMoments, EventOutbox],
  exports: [EndpointMoments, EventOutbox, TypeOrmModule],
})
export class WebhookEventsModule {}

/** Webhooks in the API: what owners do with them. */
@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, WebhookEventsModule],
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
