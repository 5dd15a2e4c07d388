import { isHttpUrl } from '../../../kernel/web-url.js';
import { LONGEST_URL, WEBHOOK_STATUSES, type WebhookStatus } from './webhook.js';

/** What an owner may write; odd values are faults, unknown fields are not looked at. */
export interface RawWebhook {
  url?: unknown;
  events?: unknown;
  status?: unknown;
}

/** The fields that were given. */
export interface WebhookFields {
  url?: string;
  events?: string[];
  status?: WebhookStatus;
}

export type WebhookFault =
  | 'urlRequired'
  | 'urlInvalid'
  | 'urlUnencrypted'
  | 'urlClosed'
  | 'urlTooLong'
  | 'eventsRequired'
  | 'eventsUnknown'
  | 'eventsRepeated'
  | 'statusUnknown';

/**
 * Reads the fields that are there, the first fault in the order url, events, status.
 * @param types that exist
 * @param mayBeCalled false for a plain URL where TLS is due
 */
export function readWebhook(
  raw: RawWebhook,
  types: readonly string[],
  mayBeCalled: (url: string) => boolean,
): { fields: WebhookFields } | { fault: WebhookFault } {
  const fields: WebhookFields = {};
  if (raw.url !== undefined) {
    const { url } = raw;
    if (url === null || (typeof url === 'string' && url.trim() === '')) return { fault: 'urlRequired' };
    if (typeof url !== 'string') return { fault: 'urlInvalid' };
    const text = url.trim();
    if (text.length > LONGEST_URL) return { fault: 'urlTooLong' };
    if (!isHttpUrl(text)) return { fault: 'urlInvalid' };
    if (!mayBeCalled(text)) return { fault: 'urlUnencrypted' };
    fields.url = text;
  }
  if (raw.events !== undefined) {
    const read = readEvents(raw.events, types);
    if ('fault' in read) return read;
    fields.events = read.events;
  }
  if (raw.status !== undefined) {
    const status = WEBHOOK_STATUSES.find((known) => known === raw.status);
    if (status === undefined) return { fault: 'statusUnknown' };
    fields.status = status;
  }
  return { fields };
}

function readEvents(value: unknown, types: readonly string[]): { events: string[] } | { fault: WebhookFault } {
  if (!Array.isArray(value) || value.length === 0) return { fault: 'eventsRequired' };
  const given: unknown[] = value;
  const events = given.filter((type): type is string => typeof type === 'string' && types.includes(type));
  if (events.length < given.length) return { fault: 'eventsUnknown' };
  if (new Set(events).size < events.length) return { fault: 'eventsRepeated' };
  return { events };
}
