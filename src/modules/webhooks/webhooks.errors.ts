import { conflict, type DefinedError, type DocumentedError, invalid, notFound } from '../../kernel/define-error.js';
import { CUSTOMER_EVENT_TYPES } from './event-types.js';
import { LONGEST_URL, WEBHOOK_STATUSES } from './domain/webhook.js';
import type { WebhookFault } from './domain/webhook-form.js';

const fault = (text: string, reason: string): DefinedError => invalid('webhook_fault', text, reason);

/** Faults of a body. */
export const webhookFaults = {
  urlRequired: fault('url is required', 'missing or empty'),
  urlTooLong: fault(`url must be at most ${LONGEST_URL} characters`, 'too long'),
  urlInvalid: fault('url must be a valid http or https URL', 'no text, or something else than http(s)'),
  urlUnencrypted: fault('url must be https', 'http:// in production, and `OUTBOUND_ALLOW` does not name its network'),
  eventsRequired: fault('events must be a non-empty array', 'missing, empty, or no array'),
  eventsUnknown: fault(`events must be of: ${CUSTOMER_EVENT_TYPES.join(', ')}`, 'a type that does not exist'),
  eventsRepeated: fault('events must not repeat', 'a type twice'),
  statusUnknown: fault(`status must be one of: ${WEBHOOK_STATUSES.join(', ')}`, 'another word'),
} satisfies Record<WebhookFault, DefinedError>;

const { statusUnknown: _status, ...fieldFaults } = webhookFaults;

/** Faults of the fields that creation and change share, in the order in which they are judged. */
export const WEBHOOK_FIELD_ERRORS: readonly DocumentedError[] = Object.values(fieldFaults);

/** Errors of webhooks (reference/webhooks#own-routes). */
export const webhookErrors = {
  tooMany: conflict(
    'too_many_webhooks',
    (most: number) => `At most ${most} webhooks are allowed`,
    'WEBHOOKS_PER_ACCOUNT',
  ).shown(10),
  notFound: notFound('webhook_unknown', 'Webhook not found', 'unknown, deleted, or another account’s'),
  eventNotFound: notFound(
    'webhook_event_unknown',
    'Webhook event not found',
    'unknown, another account’s, or older than 30 days',
  ),
};
