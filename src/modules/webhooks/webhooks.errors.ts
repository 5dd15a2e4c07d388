import type { AppError } from '../../kernel/app-error.js';
import { conflict, type DefinedError, type DocumentedError, invalid, notFound } from '../../kernel/define-error.js';
import { atMost, fieldErrors } from '../../kernel/field-errors.js';
import { type Account, roleOf } from '../accounts/index.js';
import { ALL_EVENT_TYPES, CUSTOMER_EVENT_TYPES } from './event-types.js';
import { LONGEST_URL, WEBHOOK_STATUSES } from './domain/webhook.js';
import type { WebhookFault } from './domain/webhook-form.js';

const fault = (text: string, reason: string): DefinedError => invalid('webhook_fault', text, reason);

/** Faults of a body. */
export const webhookFaults = {
  urlRequired: fault(fieldErrors.required.shown('url').text, 'missing or empty'),
  urlTooLong: fault(fieldErrors.tooLong.shown('url', LONGEST_URL).text, 'too long'),
  urlInvalid: fault('url must be a valid http or https URL', 'no text, or something else than http(s)'),
  urlUnencrypted: fault('url must be https', 'http:// in production, and `OUTBOUND_ALLOW` does not name its network'),
  urlClosed: fault(
    'url must lead to a public address',
    'a private, loopback or link-local address, or one of this machine, that `OUTBOUND_ALLOW` does not name; a name by what it leads to now, if that can be told',
  ),
  eventsRequired: fault(fieldErrors.emptyArray.shown('events').text, 'missing, empty, or no array'),
  eventsUnknown: fault(`events must be of: ${CUSTOMER_EVENT_TYPES.join(', ')}`, 'a type that does not exist'),
  eventsRepeated: fault('events must not repeat', 'a type twice'),
  statusUnknown: fault(fieldErrors.noWord.shown('status', WEBHOOK_STATUSES).text, 'another word'),
} satisfies Record<WebhookFault, DefinedError>;

const eventsUnknownToStaff = fault(
  `events must be of: ${ALL_EVENT_TYPES.join(', ')}`,
  'a type that does not exist; staff can subscribe to alarms',
);

/** The fault of a body as its account is told it. */
export function webhookFault(name: WebhookFault, { userType }: Pick<Account, 'userType'>): AppError {
  const isStaff = roleOf(userType) !== 'user' && userType !== 'reseller';
  return name === 'eventsUnknown' && isStaff ? eventsUnknownToStaff() : webhookFaults[name]();
}

const { statusUnknown: _status, ...fieldFaults } = webhookFaults;

/** Faults of the fields that creation and change share, in the order in which they are judged. */
export const WEBHOOK_FIELD_ERRORS: readonly DocumentedError[] = Object.values(fieldFaults);

/** Faults of a test (reference/webhooks#test). */
export const webhookTestErrors = {
  type: fault('type must be one of the events of the webhook', 'a type that it does not take'),
};

/** Errors of webhooks (reference/webhooks#own-routes). */
export const webhookErrors = {
  tooMany: conflict('too_many_webhooks', (most: number) => atMost(most, 'webhooks'), 'WEBHOOKS_PER_ACCOUNT').shown(10),
  notFound: notFound('webhook_unknown', 'Webhook not found', 'unknown, deleted, or another account’s'),
  eventNotFound: notFound(
    'webhook_event_unknown',
    'Webhook event not found',
    'unknown, another account’s, or older than 30 days',
  ),
};
