import type { Schema } from '../api/client.js';

export type EventType = Schema<'WebhookBody'>['events'][number];

/** What an event is about, in words. */
export const EVENT_TYPES: readonly (readonly [EventType, string])[] = [
  ['gsm.status.update', 'Statuses of SMS'],
  ['voice.status.update', 'Statuses of calls'],
  ['chat.status.update', 'Statuses of chat messages'],
  ['chat.message.received', 'Chat messages that come in'],
  ['template.status.update', 'Decisions on templates'],
  ['template.category.update', 'Changed categories of templates'],
  ['campaign.completed', 'Campaigns that are completed'],
  ['sender_id.status.update', 'Decisions on sender ids'],
  ['account.balance.low', 'A balance that runs low'],
  ['account.security', 'Logins from new networks, changed passwords, new keys'],
  ['account.guard', 'Sending to a prefix is frozen or released'],
  ['verification.approved', 'Verifications with the right code'],
  ['verification.failed', 'Verifications with five wrong codes'],
  ['verification.expired', 'Verifications that expire'],
];
