import type { Schema } from '../api/client.js';

export type EventType = Schema<'WebhookBody'>['events'][number];

/** What an event is about, in words. */
export const EVENT_TYPES: readonly (readonly [EventType, string])[] = [
  ['gsm.status.update', 'SMS status'],
  ['voice.status.update', 'Call status'],
  ['chat.status.update', 'Chat message status'],
  ['chat.message.received', 'Incoming chat messages'],
  ['template.status.update', 'Template reviews'],
  ['template.category.update', 'Template category changes'],
  ['campaign.completed', 'Completed campaigns'],
  ['sender_id.status.update', 'Sender id reviews'],
  ['account.balance.low', 'Low balance'],
  ['account.security', 'Logins from new networks, changed passwords, new keys'],
  ['account.guard', 'Sending to a prefix is frozen or released'],
  ['verification.approved', 'Verifications with the right code'],
  ['verification.failed', 'Verifications with five wrong codes'],
  ['verification.expired', 'Verifications that expire'],
  ['settlement.issued', 'Signed settlements of campaigns'],
];
