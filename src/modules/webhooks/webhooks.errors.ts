import { AppError } from '../../kernel/app-error.js';
import { CUSTOMER_EVENT_TYPES } from '../customer-events/index.js';
import { LONGEST_URL, WEBHOOK_STATUSES } from './domain/webhook.js';
import type { WebhookFault } from './domain/webhook-form.js';

/** Texts of the faults of a body, in the order in which they are looked for. */
export const FAULT_TEXTS: Readonly<Record<WebhookFault, string>> = {
  urlRequired: 'url is required',
  urlTooLong: `url must be at most ${LONGEST_URL} characters`,
  urlInvalid: 'url must be a valid http or https URL',
  urlUnencrypted: 'url must be https',
  eventsRequired: 'events must be a non-empty array',
  eventsUnknown: `events must be of: ${CUSTOMER_EVENT_TYPES.join(', ')}`,
  eventsRepeated: 'events must not repeat',
  statusUnknown: `status must be one of: ${WEBHOOK_STATUSES.join(', ')}`,
};

/** Errors of webhooks (reference/webhooks#own-routes). */
export const webhookErrors = {
  fault: (fault: WebhookFault) => new AppError('invalid', 'webhook_fault', FAULT_TEXTS[fault]),
  tooMany: (most: number) => new AppError('conflict', 'too_many_webhooks', `At most ${most} webhooks are allowed`),
  notFound: () => new AppError('not_found', 'webhook_unknown', 'Webhook not found'),
  eventNotFound: () => new AppError('not_found', 'webhook_event_unknown', 'Webhook event not found'),
};
