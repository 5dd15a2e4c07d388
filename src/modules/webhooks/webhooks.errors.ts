import {
  type AppError,
  conflict,
  type DefinedError,
  type DocumentedError,
  invalid,
  notFound,
  atMost,
  fieldErrors,
} from '../../kernel/errors.js';
import { type Account, roleOf } from '../accounts/index.js';
import { ALL_EVENT_TYPES, CUSTOMER_EVENT_TYPES } from './events.js';
import { LONGEST_URL, WEBHOOK_STATUSES, type WebhookFault } from './webhook.js';

const faultOf =
  (field: 'url' | 'events' | 'status' | 'type') =>
  (code: string, text: string, reason: string, hint?: string): DefinedError =>
    invalid(code, text, reason).with({ field, ...(hint !== undefined && { hint }) });
const url = faultOf('url');
const events = faultOf('events');

const EVENTS_HINT = 'The page about events (/docs/guide/events) describes each; an endpoint gets those it names alone.';

export const webhookFaults = {
  urlRequired: url('webhook_url_required', fieldErrors.required.shown('url').text, 'missing or empty'),
  urlTooLong: url('webhook_url_too_long', fieldErrors.tooLong.shown('url', LONGEST_URL).text, 'too long'),
  urlInvalid: url(
    'webhook_url_invalid',
    'url must be a valid http or https URL',
    'no text, or something else than http(s)',
  ),
  urlUnencrypted: url(
    'webhook_url_not_https',
    'url must be https',
    'http:// in production, and `OUTBOUND_ALLOW` does not name its network',
    'Serve the endpoint over TLS, with a certificate that Node.js trusts.',
  ),
  urlClosed: url(
    'webhook_url_blocked',
    'url must lead to a public address',
    'a private, loopback or link-local address, or one of this machine, that `OUTBOUND_ALLOW` does not name; a name by what it leads to now, if that can be told',
    'Give an address that the internet reaches; the operator opens a network of yours by `OUTBOUND_ALLOW`.',
  ),
  eventsRequired: events(
    'webhook_events_required',
    fieldErrors.emptyArray.shown('events').text,
    'missing, empty, or no array',
    EVENTS_HINT,
  ),
  eventsUnknown: events(
    'webhook_events_unknown',
    `events must be of: ${CUSTOMER_EVENT_TYPES.join(', ')}`,
    'a type that does not exist',
    EVENTS_HINT,
  ),
  eventsRepeated: events('webhook_events_repeated', 'events must not repeat', 'a type twice'),
  statusUnknown: faultOf('status')(
    'webhook_status_unknown',
    fieldErrors.noWord.shown('status', WEBHOOK_STATUSES).text,
    'another word',
    '"active" revives an endpoint, "disabled" stops it.',
  ),
} satisfies Record<WebhookFault, DefinedError>;

const eventsUnknownToStaff = events(
  'webhook_events_unknown',
  `events must be of: ${ALL_EVENT_TYPES.join(', ')}`,
  'a type that does not exist; staff can subscribe to alarms',
  EVENTS_HINT,
);

/** The error of a fault; staff get other texts. */
export function webhookFault(name: WebhookFault, { userType, apiKey }: Pick<Account, 'userType' | 'apiKey'>): AppError {
  const isStaff = roleOf(userType) !== 'user' && userType !== 'reseller' && !apiKey;
  return name === 'eventsUnknown' && isStaff ? eventsUnknownToStaff() : webhookFaults[name]();
}

const { statusUnknown: _status, ...fieldFaults } = webhookFaults;

/** Errors of the shared fields of creation and change, in the order of validation. */
export const WEBHOOK_FIELD_ERRORS: readonly DocumentedError[] = Object.values(fieldFaults);

export const webhookTestErrors = {
  type: faultOf('type')(
    'webhook_test_type',
    'type must be one of the events of the webhook',
    'a type that it does not take',
    'Leave it out for the first of its events, or add the type to its `events`.',
  ),
};

/** Errors of webhooks (reference/webhooks#own-routes). */
export const webhookErrors = {
  tooMany: conflict('too_many_webhooks', (most: number) => atMost(most, 'webhooks'), 'WEBHOOKS_PER_ACCOUNT')
    .with({ hint: 'Remove one; one endpoint may take several events.' })
    .shown(10),
  notFound: notFound('webhook_unknown', 'Webhook not found', 'unknown, deleted, or another account’s').with({
    field: 'id',
    hint: '`GET /v6/api/webhooks` shows those of the account.',
  }),
  eventNotFound: notFound(
    'webhook_event_unknown',
    'Webhook event not found',
    'unknown, another account’s, or older than 30 days',
  ).with({ field: 'event_id', hint: 'It is the `webhook-id` of the delivery; events are kept for 30 days.' }),
};
