import type { EntityManager } from 'typeorm';

/** The types of reference/webhooks#types, in its order. */
export const CUSTOMER_EVENT_TYPES = [
  'gsm.status.update',
  'voice.status.update',
  'chat.status.update',
  'chat.message.received',
  'template.status.update',
  'campaign.completed',
] as const;

export type CustomerEventType = (typeof CUSTOMER_EVENT_TYPES)[number];

export const isCustomerEventType = (value: unknown): value is CustomerEventType =>
  CUSTOMER_EVENT_TYPES.some((type) => type === value);

/** Something that an account can subscribe to. */
export interface CustomerEvent {
  accountId: number;
  type: CustomerEventType;
  /** goes out as JSON, exactly so */
  body: object;
  /** the recipient it is about, for the recipient's timeline */
  recipient?: { campaignId: number; seq: number };
}

/** The subscriptions of some accounts, as they stand within one transaction. */
export interface Subscriptions {
  /** whether an active endpoint of the account takes this type */
  takes(accountId: number, type: CustomerEventType): boolean;
  /** Writes the events in the transaction; those without a subscription are passed over. */
  record(events: readonly CustomerEvent[]): Promise<void>;
}

/** What brings events to customers: the webhooks module. */
export interface CustomerEventSink {
  /** One indexed query: an endpoint counts from its registration on. */
  subscriptions(tx: EntityManager, accountIds: readonly number[]): Promise<Subscriptions>;
}
