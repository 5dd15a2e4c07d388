import { Module } from '@nestjs/common';
import { TracingModule } from '../../platform/observability/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { WebhookDispatcher } from './dispatch/webhook-dispatcher.js';
import { DeliveryTraces } from './dispatch/delivery-traces.js';
import { WebhookSender } from './dispatch/webhook-sender.js';
import { WebhookSweeper } from './dispatch/webhook-sweeper.js';
import { DeliveryQueue } from './persistence/delivery-queue.js';
import { DeliveryResults } from './persistence/delivery-results.js';
import { WebhookRetention } from './persistence/webhook-retention.js';
import { WebhookEventsModule } from './webhooks.module.js';

/** Webhooks in the worker: delivering, and clearing away. */
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
