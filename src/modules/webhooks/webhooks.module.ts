import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TracingModule } from '../../platform/observability/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { EngineModule } from '../engine/index.js';
import { DeliveryQueue } from './delivery/delivery-queue.store.js';
import { DeliveryResults, TestAttempts } from './delivery/delivery-results.store.js';
import { WebhookDispatcher } from './delivery/webhook-dispatcher.js';
import { WebhookRetention, WebhookSweeper } from './delivery/webhook-retention.js';
import { DeliveryTraces, WebhookSender } from './delivery/webhook-sender.js';
import { EndpointHealths, FailingEndpoints, WebhookBacklog } from './endpoint-health.store.js';
import { EndpointMoments, EndpointStore, MadeWebhooks } from './endpoints.store.js';
import { ReplayAnyEventHandler, ReplayEventHandler, TestWebhookHandler } from './events.commands.js';
import { EventOutbox, EventStore, RecipientAttempts } from './events.store.js';
import { webhookEntities } from './tables.js';
import {
  ChangeWebhookHandler,
  CreateWebhookHandler,
  RemoveWebhookHandler,
  RotateSecretHandler,
  WebhookUrls,
} from './webhooks.commands.js';
import { WebhooksController, WebhookTestsController } from './webhooks.controller.js';
import {
  FindAnyWebhookHandler,
  GetWebhookHandler,
  ListAllWebhooksHandler,
  ListAnyAttemptsHandler,
  ListAttemptsHandler,
  ListWebhooksHandler,
} from './webhooks.queries.js';
import { WebhooksAdminController } from './staff-webhooks.controller.js';

/** Webhooks in every process: events are written with the statuses. */
@Module({
  imports: [TypeOrmModule.forFeature(webhookEntities), CustomerEventsModule],
  providers: [EndpointMoments, EventOutbox, FailingEndpoints, WebhookBacklog],
  exports: [EndpointMoments, EventOutbox, FailingEndpoints, WebhookBacklog, TypeOrmModule],
})
export class WebhookEventsModule {}

@Module({
  imports: [CqrsModule, AccountsModule, EngineModule, TracingModule, WebhookEventsModule],
  controllers: [WebhooksController, WebhookTestsController, WebhooksAdminController],
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

@Module({
  imports: [OutboundModule, TracingModule, WebhookEventsModule],
  providers: [
    DeliveryQueue,
    DeliveryResults,
    DeliveryTraces,
    WebhookDispatcher,
    WebhookRetention,
    WebhookSender,
    WebhookSweeper,
  ],
})
export class WebhooksWorkerModule {}
