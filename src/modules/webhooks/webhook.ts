import { createHmac, randomBytes } from 'node:crypto';
import { isHttpUrl } from '../../kernel/urls.js';

/** Whether an endpoint receives events (reference/webhooks#own-routes). */
export type WebhookStatus = 'active' | 'disabled';

export const WEBHOOK_STATUSES: readonly WebhookStatus[] = ['active', 'disabled'];

export const LONGEST_URL = 2048;
export const MOST_WEBHOOKS = 100;
/** The previous secret signs this long after a rotation (reference/webhooks#signature). */
export const OVERLAP_MS = 24 * 3_600_000;
/** Days that events and tries are kept (reference/webhooks#log), fewer with a lower RETENTION_DAYS. */
export const KEPT_DAYS = 30;
/** Longest delivery: seven waits (reference/webhooks#tries), each up to a day at the endpoint's request. */
export const LONGEST_DELIVERY_DAYS = 8;

export const DISABLED_REASONS = {
  byOwner: 'Disabled by the account',
  makerGone: 'The person or key that made it was removed',
  gone: 'The endpoint answered 410 Gone',
  failing: (ms: number): string => `Every delivery failed for ${durationText(ms)}`,
};

const DAY_MS = 86_400_000;

const durationText = (ms: number): string =>
  ms >= DAY_MS ? `${Math.round(ms / DAY_MS)} days` : `${Math.ceil(ms / 1000)} s`;

export interface RawWebhook {
  url?: unknown;
  events?: unknown;
  status?: unknown;
}

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

/** Validates the given fields in the order url, events, status; `mayBeCalled` is false for a plain URL that needs TLS. */
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

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret: `whsec_<base64>` (Standard Webhooks). */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** `webhook-signature` of Standard Webhooks: one `v1,` entry per key; `timestamp` in seconds since 1970. */
export const signatures = (keys: readonly Buffer[], id: string, timestamp: number, body: string): string =>
  keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`).join(' ');
