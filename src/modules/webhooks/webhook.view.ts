import { dateTime } from '../../kernel/clock.js';
import type { WebhookStatus } from './domain/webhook.js';
import type { WebhookEndpointEntity } from './persistence/webhook.entities.js';

/** An endpoint as its owner sees it. */
export interface WebhookView {
  id: number;
  url: string;
  events: string[];
  status: WebhookStatus;
  disabled_reason: string | null;
  created_at: string;
  updated_at: string;
}

export const webhookView = (row: WebhookEndpointEntity, zone: string): WebhookView => ({
  id: row.id,
  url: row.url,
  events: row.events.split(','),
  status: row.status as WebhookStatus,
  disabled_reason: row.disabledReason,
  created_at: dateTime(row.createdAt, zone),
  updated_at: dateTime(row.updatedAt, zone),
});
