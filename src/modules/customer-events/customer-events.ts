import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Types of reference/webhooks#types beside the channels' status changes, which each channel names itself. */
export const FEATURE_EVENT_TYPES = [
  'chat.message.received',
  'template.status.update',
  'campaign.completed',
  'sender_id.status.update',
  'account.balance.low',
] as const;

/** Types that only accounts of staff can subscribe to. */
export const STAFF_EVENT_TYPES = ['alarm.raised', 'alarm.cleared'] as const;

/** Something that an account can subscribe to. */
export interface CustomerEvent {
  accountId: number;
  type: string;
  /** goes out as JSON, exactly so */
  body: object;
  /** the recipient it is about, for the recipient's timeline */
  recipient?: { campaignId: number; seq: number };
}

/** The subscriptions of some accounts, as they stand within one transaction. */
export interface Subscriptions {
  /** whether an active endpoint of the account takes this type */
  takes(accountId: number, type: string): boolean;
  /** Writes the events in the transaction; those without a subscription are passed over. */
  record(events: readonly CustomerEvent[]): Promise<void>;
}

/** What brings events to customers: the webhooks module. */
export interface CustomerEventSink {
  /** One indexed query: an endpoint counts from its registration on. */
  subscriptions(tx: EntityManager, accountIds: readonly number[]): Promise<Subscriptions>;
}

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

/** The place where features and webhooks meet without knowing each other. */
@Module({ providers: [CustomerEvents], exports: [CustomerEvents] })
export class CustomerEventsModule {}
