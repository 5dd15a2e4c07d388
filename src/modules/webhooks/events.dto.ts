import { NOTICE_TYPES } from '../notices/index.js';
import { exampleOf } from './events.js';

interface EventSchema {
  type: 'object';
  description: string;
  required: string[];
  properties: Record<string, object>;
  additionalProperties?: true;
}

const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: 'string', nullable: true };
const WHOLE = { type: 'integer' };
const WHOLE_OR_NULL = { type: 'integer', nullable: true };
const word = (...words: string[]) => ({ type: 'string', enum: words });

const CHAT_STATUSES = ['SENT', 'DELIVERED', 'READ', 'FAILED', 'CANCELLED'];

function event(
  type: string,
  description: string,
  fields: Record<string, object>,
  more: Pick<EventSchema, 'additionalProperties'> = {},
): EventSchema {
  const properties = { event: { type: 'string', enum: [type] }, ...fields };
  return { type: 'object', description, required: Object.keys(properties), properties, ...more };
}

/** Fields of a message that was sent on its own (reference/messages#events). */
const TAGS = {
  message_id: { ...TEXT, description: 'only of a message of POST /v6/api/messages' },
  client_ref: { ...TEXT, description: 'where the message has one' },
  metadata: { type: 'object', additionalProperties: true, description: 'where the message has some' },
};

const tagged = (schema: EventSchema): EventSchema => ({ ...schema, properties: { ...schema.properties, ...TAGS } });

const record = (
  type: string,
  description: string,
  statuses: string[],
  more: Record<string, object> = {},
): EventSchema =>
  event(type, description, {
    providerMessageId: {
      ...TEXT,
      description: 'request_id of the campaign; of a session message the id of its answer',
    },
    receiver: { ...TEXT, description: 'digits with country code' },
    status: word(...statuses),
    status_code: { ...WHOLE, enum: [0, 1], description: '1: it failed' },
    error_code: { ...WHOLE_OR_NULL, description: 'of the carrier' },
    errorMessage: TEXT_OR_NULL,
    ...more,
  });

const EVENTS: readonly (readonly [name: string, type: string, schema: EventSchema])[] = [
  [
    'SmsStatusEvent',
    'gsm.status.update',
    tagged(record('gsm.status.update', 'An SMS has a new status.', ['SENT', 'DELIVERED', 'FAILED', 'CANCELLED'])),
  ],
  [
    'VoiceStatusEvent',
    'voice.status.update',
    record(
      'voice.status.update',
      'A call has its final status.',
      ['ANSWERED', 'FAILED', 'NO_ANSWER', 'BUSY', 'CANCELLED'],
      {
        duration: { ...WHOLE, description: 'seconds; 0 when unanswered' },
      },
    ),
  ],
  [
    'ChatStatusEvent',
    'chat.status.update',
    tagged(record('chat.status.update', 'A chat message has a new status.', CHAT_STATUSES)),
  ],
  [
    'ChatMessageEvent',
    'chat.message.received',
    event(
      'chat.message.received',
      'A contact wrote to a connected chat account; beside these fields the message as the network wrote it.',
      {
        id: TEXT,
        from: { ...TEXT_OR_NULL, description: 'null: a contact that shows no number' },
        from_user_id: TEXT_OR_NULL,
        timestamp: { ...TEXT, description: 'seconds since 1970, UTC' },
        type: TEXT,
      },
      { additionalProperties: true },
    ),
  ],
  [
    'GuardEvent',
    'account.guard',
    event('account.guard', 'Sending to a prefix is frozen, or staff released it.', {
      state: word('frozen', 'released'),
      prefix: TEXT,
      reason: word('burst', 'sequence', 'conversion'),
      until: TEXT,
    }),
  ],
  [
    'TemplateStatusEvent',
    'template.status.update',
    event('template.status.update', 'A template was reviewed, paused or disabled.', {
      template_id: WHOLE,
      template_name: TEXT,
      status: {
        ...WHOLE,
        enum: [0, 1, 2, 3, 4, 5],
        description: '1 approved, 2 rejected, 3 pending, 4 paused, 5 disabled',
      },
      reason: TEXT_OR_NULL,
    }),
  ],
  [
    'TemplateCategoryEvent',
    'template.category.update',
    event(
      'template.category.update',
      'The provider has moved a template to another category; the next send pays for it.',
      {
        template_id: WHOLE,
        template_name: TEXT,
        category: word('marketing', 'utility', 'auth'),
        previous_category: word('marketing', 'utility', 'auth'),
      },
    ),
  ],
  [
    'CampaignCompletedEvent',
    'campaign.completed',
    tagged(
      event('campaign.completed', 'Every recipient of a campaign has a final status.', {
        request_id: TEXT,
        total_rows: WHOLE,
        status_counts: { type: 'object', additionalProperties: WHOLE },
      }),
    ),
  ],
  [
    'SenderIdStatusEvent',
    'sender_id.status.update',
    event('sender_id.status.update', 'Staff have decided on a sender id.', {
      id: WHOLE,
      sender_id: TEXT,
      channel: word('sms', 'voice'),
      status: word('pending', 'approved', 'rejected'),
      reason: TEXT_OR_NULL,
    }),
  ],
  [
    'BalanceLowEvent',
    'account.balance.low',
    event('account.balance.low', 'A send, or a move of credits by a reseller, took a balance below its threshold.', {
      balance: TEXT,
      available: WHOLE,
      threshold: WHOLE,
    }),
  ],
  [
    'AccountSecurityEvent',
    'account.security',
    event(
      'account.security',
      'Something happened to a login or a key; beside these fields the facts of the type.',
      {
        type: word(...NOTICE_TYPES),
        login: { ...TEXT, description: 'username of the login concerned' },
        at: { ...TEXT, format: 'date-time' },
      },
      { additionalProperties: true },
    ),
  ],
  [
    'SettlementEvent',
    'settlement.issued',
    event('settlement.issued', 'The settlement of a campaign was signed.', {
      request_id: TEXT,
      number: { ...WHOLE, description: 'in the chain of the account' },
      digest: TEXT,
      root: TEXT,
      totals: { type: 'object', additionalProperties: true },
      issued_at: { ...TEXT, format: 'date-time' },
    }),
  ],
  [
    'GuardEvent',
    'account.guard',
    event('account.guard', 'Sending to a prefix is frozen, or staff released it.', {
      state: word('frozen', 'released'),
      prefix: TEXT,
      reason: word('burst', 'sequence', 'conversion'),
      until: TEXT,
    }),
  ],
];

const HEADERS = [
  ['webhook-id', 'the same over all tries: what was seen before may be dropped'],
  ['webhook-timestamp', 'seconds since 1970'],
  ['webhook-signature', 'one or more `v1,<base64 of HMAC-SHA256 over id.timestamp.body>`, separated by spaces'],
] as const;

/** The OpenAPI part about webhooks: an operation for each type, and the schemas of the bodies. */
export function documentedEvents(types: readonly string[]): {
  webhooks: Record<string, object>;
  schemas: Record<string, object>;
} {
  const known = new Map(EVENTS.map(([name, type, schema]) => [type, { name, schema }]));
  const described = types.map((type) => ({ type, ...(known.get(type) ?? unknownEvent(type)) }));
  return {
    schemas: Object.fromEntries(described.map(({ name, schema }) => [name, schema])),
    webhooks: Object.fromEntries(
      described.map(({ type, name, schema }) => [type, { post: operationOf(type, name, schema) }]),
    ),
  };
}

function unknownEvent(type: string): { name: string; schema: EventSchema } {
  const name = `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
  return { name, schema: event(type, `An event of the type ${type}.`, {}, { additionalProperties: true }) };
}

const operationOf = (type: string, name: string, { description }: EventSchema) => ({
  operationId: `on${name.replace(/Event$/, '')}`,
  summary: description,
  description: 'Signed as Standard Webhooks say. Any 2xx takes it; everything else is tried again over 28 hours.',
  tags: ['Webhooks'],
  parameters: HEADERS.map(([header, about]) => ({
    name: header,
    in: 'header',
    required: true,
    description: about,
    schema: TEXT,
  })),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example: exampleOf(type) },
    },
  },
  responses: {
    '2XX': { description: 'Taken.' },
    '4XX': { description: '410 disables the endpoint; others are tried again.' },
  },
});
