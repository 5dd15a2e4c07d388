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

/** A body of every type of reference/webhooks#types, as tests send it and documents show it. */
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
  'template.status.update': {
    event: 'template.status.update',
    template_id: 7,
    template_name: 'order_ready',
    status: 1,
    reason: null,
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
  'alarm.raised': { event: 'alarm.raised', ...ALARM, cleared_at: null },
  'alarm.cleared': { event: 'alarm.cleared', ...ALARM, cleared_at: '2026-11-22T02:31:40.502Z' },
};

/** An example of a type; a type of which none is known is a delivery record. */
export const exampleOf = (type: string): object => EXAMPLES[type] ?? record(type, REQUEST_ID, 'DELIVERED');

/** Types that have an example of their own. */
export const TYPES_WITH_EXAMPLE = Object.keys(EXAMPLES);
