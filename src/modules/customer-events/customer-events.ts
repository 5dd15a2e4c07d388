import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Types of reference/webhooks#types, except the channels' status changes. */
export const FEATURE_EVENT_TYPES = [
  'chat.message.received',
  'sms.message.received',
  'template.status.update',
  'template.category.update',
  'campaign.completed',
  'sender_id.status.update',
  'account.balance.low',
  'account.security',
  'account.guard',
  'verification.approved',
  'verification.failed',
  'verification.expired',
  'settlement.issued',
] as const;

/** Types for staff accounts only. */
export const STAFF_EVENT_TYPES = ['alarm.raised', 'alarm.cleared'] as const;

export interface CustomerEvent {
  accountId: number;
  type: string;
  /** sent as JSON, unchanged */
  body: object;
  /** the recipient whose timeline shows it */
  recipient?: { campaignId: number; seq: number };
}

export interface Subscriptions {
  takes(accountId: number, type: string): boolean;
  /** Stores the events that have a subscription, in the transaction. */
  record(events: readonly CustomerEvent[]): Promise<void>;
}

export interface CustomerEventSink {
  /** One indexed query; endpoints count from their registration on. */
  subscriptions(tx: EntityManager, accountIds: readonly number[]): Promise<Subscriptions>;
}

const NO_SUBSCRIPTIONS: Subscriptions = { takes: () => false, record: () => Promise.resolve() };

/** Publishes events (reference/webhooks#when) in the transaction of the status, so that both commit together. */
@Injectable()
export class CustomerEvents {
  private sink: CustomerEventSink | null = null;

  register(sink: CustomerEventSink): void {
    this.sink = sink;
  }

  get hasSubscribers(): boolean {
    return this.sink !== null;
  }

  /** For callers that gather event data only when needed. */
  subscriptions(tx: EntityManager, accountIds: readonly number[]): Promise<Subscriptions> {
    if (!this.sink || accountIds.length === 0) return Promise.resolve(NO_SUBSCRIPTIONS);
    return this.sink.subscriptions(tx, [...new Set(accountIds)]);
  }

  async publish(tx: EntityManager, events: readonly CustomerEvent[]): Promise<void> {
    if (events.length === 0) return;
    const subscriptions = await this.subscriptions(
      tx,
      events.map(({ accountId }) => accountId),
    );
    await subscriptions.record(events);
  }
}

@Module({ providers: [CustomerEvents], exports: [CustomerEvents] })
export class CustomerEventsModule {}
