import { randomBytes } from 'node:crypto';
import { type Account, accountErrors } from '../accounts/index.js';
import { CHANNELS } from '../channels/index.js';
import { FEATURE_EVENT_TYPES, STAFF_EVENT_TYPES } from '../customer-events/index.js';
import { Channels } from '../engine/index.js';

// Schemas and examples only: engine/settle/status-events.ts and session-messages.store.ts build the bodies.

/** Event types for customers: statuses of the process's channels, then those of other features. */
const eventTypesOf = (channels: Channels): readonly string[] => [...channels.eventTypes, ...FEATURE_EVENT_TYPES];

// Alarms concern the whole installation; a key acts only for its own account.
const receivesAlarms = ({ userType, apiKey }: Pick<Account, 'userType' | 'apiKey'>): boolean =>
  (userType === 'super' || userType === 'admin') && !apiKey;

/** Event types for one account: staff also get alarms, except with a key. */
export const eventTypesFor = (channels: Channels, actor: Pick<Account, 'userType' | 'apiKey'>): readonly string[] =>
  receivesAlarms(actor) ? [...eventTypesOf(channels), ...STAFF_EVENT_TYPES] : eventTypesOf(channels);

/** Throws AppError 403 `Forbidden` if a key would change, remove or rotate an endpoint that receives alarms. */
export function assertMayChange(actor: Pick<Account, 'apiKey'>, { events }: { events: string }): void {
  if (actor.apiKey && events.split(',').some((type) => STAFF_EVENT_TYPES.some((known) => known === type))) {
    throw accountErrors.forbidden();
  }
}

export const CUSTOMER_EVENT_TYPES = eventTypesOf(new Channels(CHANNELS));

export const ALL_EVENT_TYPES = [...CUSTOMER_EVENT_TYPES, ...STAFF_EVENT_TYPES];

const REQUEST_ID = 'GSMCAMP_20261121_A1B2C3';
const record = (event: string, providerMessageId: string, status: string) => ({
  event,
  providerMessageId,
  receiver: '919812345678',
  status,
  status_code: 0,
  error_code: null,
  errorMessage: null,
});

const verification = (event: string) => ({
  event,
  id: 'ver_374100212563968',
  to: '919812345678',
  channel: 'sms',
  ref: 'login-1042',
  at: '2026-11-22T02:14:05.120Z',
});

const ALARM = {
  id: 373826482176001,
  kind: 'route_down',
  severity: 'critical',
  subject_type: 'route',
  subject: 'carrier-one',
  message: 'Route carrier-one is down: connect ECONNREFUSED 203.0.113.5:2775',
  value: null,
  threshold: null,
  unit: null,
  hint: 'Read the last error of the route; when the carrier is away, move what waits to another route.',
  doc_url: '/docs/guide/operate/runbook#route_down',
  raised_at: '2026-11-22T02:14:05.120Z',
};

// One body of each type in reference/webhooks#types, for tests and documents.
const EXAMPLES: Readonly<Record<string, object>> = {
  'gsm.status.update': record('gsm.status.update', REQUEST_ID, 'DELIVERED'),
  'voice.status.update': { ...record('voice.status.update', 'VCAMP_20261121_A1B2C3D4', 'ANSWERED'), duration: 21 },
  'chat.status.update': record('chat.status.update', 'CHATCAMP_20261121_A1B2C3', 'DELIVERED'),
  'chat.message.received': {
    event: 'chat.message.received',
    id: 'wamid.A1B2C3',
    from: '919812345678',
    from_user_id: null,
    timestamp: '1795253400',
    type: 'text',
    text: { body: 'Hello' },
  },
  'sms.message.received': {
    event: 'sms.message.received',
    id: 374100212563968,
    from: '919812345678',
    to: '57575',
    text: 'Yes, please',
    parts: 1,
    incomplete: false,
    encoding: 'gsm7',
    keyword: null,
    in_reply_to: { request_id: REQUEST_ID, seq: 1 },
    received_at: '2026-11-21T09:30:00.000Z',
  },
  'template.status.update': {
    event: 'template.status.update',
    template_id: 7,
    template_name: 'order_ready',
    status: 1,
    reason: null,
  },
  'template.category.update': {
    event: 'template.category.update',
    template_id: 7,
    template_name: 'order_ready',
    category: 'marketing',
    previous_category: 'utility',
  },
  'campaign.completed': {
    event: 'campaign.completed',
    request_id: REQUEST_ID,
    total_rows: 2,
    status_counts: { DELIVERED: 1, FAILED: 1 },
  },
  'sender_id.status.update': {
    event: 'sender_id.status.update',
    id: 3,
    sender_id: 'ACMEIN',
    channel: 'sms',
    status: 'approved',
    reason: null,
  },
  'account.balance.low': { event: 'account.balance.low', balance: 'gsm_credits', available: 90, threshold: 100 },
  'account.security': {
    event: 'account.security',
    type: 'api_key.created',
    login: 'acme',
    at: '2026-11-21T09:30:00.000Z',
    name: 'Shop backend',
    prefix: 'swb_live_Zb1cQ9x',
    by: 'jane.doe',
  },
  'account.guard': {
    event: 'account.guard',
    state: 'frozen',
    prefix: '91981234',
    reason: 'sequence',
    until: '2026-11-21T10:30:00.000Z',
  },
  'verification.approved': verification('verification.approved'),
  'verification.failed': verification('verification.failed'),
  'verification.expired': verification('verification.expired'),
  'settlement.issued': {
    event: 'settlement.issued',
    request_id: REQUEST_ID,
    number: 12,
    digest: '5f8f3cbe0bd3a39d1a5fe6a23a1b0a0d8d0f2b9bca6df6f1c6f1f6f3c0a7a2b1',
    root: '0b1e4d7a9c2f5e8b3a6d9c0f4e7b2a5d8c1f4e7b0a3d6c9f2e5b8a1d4c7f0e3b',
    totals: { recipients: 2, statuses: { delivered: 1, failed: 1 }, parts: 2, charged: 2, refunded: 1, net: 1 },
    issued_at: '2026-11-21T09:30:05.000Z',
  },
  'alarm.raised': { event: 'alarm.raised', ...ALARM, cleared_at: null },
  'alarm.cleared': { event: 'alarm.cleared', ...ALARM, cleared_at: '2026-11-22T02:31:40.502Z' },
};

export const exampleOf = (type: string): object => EXAMPLES[type] ?? record(type, REQUEST_ID, 'DELIVERED');

export const TYPES_WITH_EXAMPLE = Object.keys(EXAMPLES);

/**
 * The subject of an event body: events of one subject are delivered in order. An inbound message is its own subject,
 * because a contact that writes thousands of them must not delay other events.
 */
export function subjectOf(body: string): string {
  const event = JSON.parse(body) as Record<string, unknown>;
  const { event: type, providerMessageId, receiver, from, id, template_id, request_id } = event;
  return JSON.stringify([type, providerMessageId, receiver, from, id, template_id, request_id]);
}

const TIME_DIGITS = 12;

const timePart = (at: Date): string => at.getTime().toString(16).padStart(TIME_DIGITS, '0');

/** Makes the ids of a batch: `evt_`, time, random digits, index. They ascend and are unique across processes. */
export function eventIds(at: Date): () => string {
  const batch = `evt_${timePart(at)}${randomBytes(7).toString('hex')}`;
  let index = 0;
  return () => batch + (index++).toString(16).padStart(6, '0');
}

const TEST = 'tst_';

/** The id of a test event, which is never stored. */
export const testEventId = (at: Date): string => `${TEST}${timePart(at)}${randomBytes(10).toString('hex')}`;

export const isTestEvent = (id: string): boolean => id.startsWith(TEST);

/** All events before this instant have lower ids. */
export const firstEventIdAt = (at: Date): string => `evt_${timePart(at)}`;

/** When an event was recorded, from its id; 1970 for other text. */
export const timeOfEventId = (id: string): Date => new Date(parseInt(id.slice(4, 4 + TIME_DIGITS), 16) || 0);

/** Whether a text can be an event id. The column is ASCII and refuses comparison with other text. */
export const isEventId = (text: string): boolean => /^[\x21-\x7e]{1,40}$/.test(text);
