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
