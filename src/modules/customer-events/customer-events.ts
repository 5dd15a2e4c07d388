import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { CustomerEvent, CustomerEventSink, Subscriptions } from './customer-event.js';

const NO_SUBSCRIPTIONS: Subscriptions = { takes: () => false, record: () => Promise.resolve() };

/**
 * Where features publish what customers can subscribe to (reference/webhooks#when). An event is written in the transaction of the
 * status it is about, so neither stands without the other. A process without webhooks publishes nothing.
 */
@Injectable()
export class CustomerEvents {
  private sink: CustomerEventSink | null = null;

  register(sink: CustomerEventSink): void {
    this.sink = sink;
  }

  /** False in a process without webhooks: nothing needs to be gathered. */
  get hasSubscribers(): boolean {
    return this.sink !== null;
  }

  /** For callers that would have to gather what an event says: asked before the work. */
  subscriptions(tx: EntityManager, accountIds: readonly number[]): Promise<Subscriptions> {
    if (!this.sink || accountIds.length === 0) return Promise.resolve(NO_SUBSCRIPTIONS);
    return this.sink.subscriptions(tx, [...new Set(accountIds)]);
  }

  /** For callers that have the events at hand. */
  async publish(tx: EntityManager, events: readonly CustomerEvent[]): Promise<void> {
    if (events.length === 0) return;
    const subscriptions = await this.subscriptions(
      tx,
      events.map(({ accountId }) => accountId),
    );
    await subscriptions.record(events);
  }
}
