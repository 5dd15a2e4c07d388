import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TracingModule } from '../../platform/observability/index.js';
import { AccountsModule } from '../accounts/index.js';
import { EngineModule } from '../engine/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { ChangeWebhookHandler } from './commands/change-webhook.command.js';
import { CreateWebhookHandler } from './commands/create-webhook.command.js';
import { RemoveWebhookHandler } from './commands/remove-webhook.command.js';
import { ReplayEventHandler } from './commands/replay-event.command.js';
import { ReplayAnyEventHandler } from './commands/replay-any-event.command.js';
import { RotateSecretHandler } from './commands/rotate-secret.command.js';
import { TestWebhookHandler } from './commands/test-webhook.command.js';
import { DeliveryTraces } from './dispatch/delivery-traces.js';
import { WebhookSender } from './dispatch/webhook-sender.js';
import { WebhookTestsController } from './http/webhook-tests.controller.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { EndpointHealths } from './persistence/endpoint-health.js';
import { WebhookBacklog } from './persistence/webhook-backlog.js';
import { FailingEndpoints } from './persistence/failing-endpoints.js';
import { EndpointMoments } from './persistence/endpoint-moments.js';
import { MadeWebhooks } from './persistence/made-webhooks.js';
import { EndpointStore } from './persistence/endpoint-store.js';
import { EventOutbox } from './persistence/event-outbox.js';
import { EventStore } from './persistence/event-store.js';
import { TestAttempts } from './persistence/test-attempts.js';
import { webhookEntities } from './persistence/webhook.entities.js';
import { FindAnyWebhookHandler } from './queries/find-any-webhook.query.js';
import { GetWebhookHandler } from './queries/get-webhook.query.js';
import { ListAllWebhooksHandler } from './queries/list-all-webhooks.query.js';
import { ListAnyAttemptsHandler } from './queries/list-any-attempts.query.js';
import { ListAttemptsHandler } from './queries/list-attempts.query.js';
import { ListWebhooksHandler } from './queries/list-webhooks.query.js';
import { RecipientAttempts } from './recipient-attempts.js';
import { WebhookUrls } from './webhook-urls.js';

/** What every process has of webhooks: events are written where their statuses are. */
@Module({
  imports: [TypeOrmModule.forFeature(webhookEntities), CustomerEventsModule],
  providers: [EndpointMoments, EventOutbox, FailingEndpoints, WebhookBacklog],
  exports: [EndpointMoments, EventOutbox, FailingEndpoints, WebhookBacklog, TypeOrmModule],
})
export class WebhookEventsModule {}

/** Webhooks in the API: what owners do with them. */
@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, TracingModule, WebhookEventsModule],
  controllers: [WebhooksController, WebhookTestsController],
  providers: [
    ChangeWebhookHandler,
    CreateWebhookHandler,
    EndpointHealths,
    EndpointStore,
    EventStore,
    FindAnyWebhookHandler,
    GetWebhookHandler,
    ListAllWebhooksHandler,
    ListAnyAttemptsHandler,
    ListAttemptsHandler,
    ListWebhooksHandler,
    MadeWebhooks,
    RecipientAttempts,
    RemoveWebhookHandler,
    ReplayAnyEventHandler,
    ReplayEventHandler,
    RotateSecretHandler,
    TestAttempts,
    TestWebhookHandler,
    DeliveryTraces,
    WebhookSender,
    WebhookUrls,
  ],
})
export class WebhooksModule {}
