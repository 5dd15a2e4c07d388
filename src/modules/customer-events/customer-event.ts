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

/** Something that an account may want to be told. */
export interface CustomerEvent {
  accountId: number;
  type: CustomerEventType;
  /** goes out as JSON, exactly so */
  body: object;
  /** the recipient of whom it tells, for his timeline */
  recipient?: { campaignId: number; seq: number };
}

/** What accounts want to be told, as it stands within one transaction. */
export interface Interest {
  takes(accountId: number, type: CustomerEventType): boolean;
  /** Writes the events in the transaction; what nobody takes is passed over. */
  record(events: readonly CustomerEvent[]): Promise<void>;
}

/** Who tells the customers; the webhooks module does. */
export interface CustomerEventSink {
  /** One indexed look: an endpoint counts from its registration on. */
  interest(tx: EntityManager, accountIds: readonly number[]): Promise<Interest>;
}
