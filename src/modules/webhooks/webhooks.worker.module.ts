import { Module } from '@nestjs/common';
import { OutboundModule } from '../../platform/outbound/index.js';
import { WebhookDispatcher } from './dispatch/webhook-dispatcher.js';
import { WebhookSender } from './dispatch/webhook-sender.js';
import { WebhookSweeper } from './dispatch/webhook-sweeper.js';
import { DeliveryQueue } from './persistence/delivery-queue.js';
import { DeliveryResults } from './persistence/delivery-results.js';
import { WebhookRetention } from './persistence/webhook-retention.js';
import { WebhookEventsModule } from './webhooks.module.js';

/** Webhooks in the worker: delivering, and clearing away. */
@Module({
  imports: [OutboundModule, WebhookEventsModule],
  providers: [DeliveryQueue, DeliveryResults, WebhookDispatcher, WebhookRetention, WebhookSender, WebhookSweeper],
})
export class WebhooksWorkerModule {}
