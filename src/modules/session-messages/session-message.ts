import { isUserId, readRecipient, RECIPIENT_TEXTS } from '../../kernel/contacts.js';
import { type DefinedError, invalid, fieldErrors } from '../../kernel/errors.js';
import { objectOrNull } from '../../kernel/json-values.js';
import { isTooLargeJson, textOrNull } from '../../kernel/text.js';

/** Values of `type` (reference/session-messages#chat), in the order of its table. */
export const MESSAGE_TYPES = [
  'text',
  'image',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'reaction',
  'template',
] as const;

/** Types that name a file of the provider by `id`, or any by `link`. */
const MEDIA_TYPES = ['image', 'audio', 'video', 'document', 'sticker'] as const;

export const recipientErrors = {
  invalid: invalid('recipient_invalid', RECIPIENT_TEXTS.invalid, 'invalid after cleanup').with({
    field: 'to',
    hint: 'Write the number in digits with its country code, without letters.',
  }),
  length: invalid('recipient_length', RECIPIENT_TEXTS.length, 'bad length').with({
    field: 'to',
    hint: 'Write the number with its country code.',
  }),
  userId: invalid('recipient_user_id', 'recipient is invalid', 'no user id').with({
    field: 'recipient',
    hint: 'It is the `from_user_id` of a message that came in.',
  }),
};

export const contentTooLarge = invalid('content_too_large', 'Message content must be at most 64 KB').with({
  hint: 'Hand on large media by a link.',
});

export interface SessionFields {
  body: Readonly<Record<string, unknown>>;
  type: string | null;
}

/** One row of the error table (reference/session-messages#errors). */
interface SessionRow {
  error: DefinedError;
  applies: (fields: SessionFields) => boolean;
}

const hasText = (value: unknown): boolean => textOrNull(value) !== null;

function coordinate(value: unknown): number | null {
  const text = textOrNull(value);
  return text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
}

/** The recipient of a body: `to`, else `recipient`; a number has priority over a user id. */
function addressOf({ to, recipient }: SessionFields['body']): { address: string } | { fault: string } {
  if (hasText(to)) {
    const read = readRecipient(to);
    return 'fault' in read ? read : { address: read.digits };
  }
  const userId = textOrNull(recipient)?.trim() ?? '';
  return isUserId(userId) ? { address: userId } : { fault: 'user_id' };
}

const recipientFault = (body: SessionFields['body']): string | null => {
  const read = addressOf(body);
  return 'fault' in read ? read.fault : null;
};

const ofType =
  (type: string, isAtFault: (part: unknown) => boolean): SessionRow['applies'] =>
  ({ body, type: given }) =>
    given === type && isAtFault(body[type]);

const withoutSource = (part: unknown): boolean => {
  const media = objectOrNull(part);
  return !hasText(media?.['id']) && !hasText(media?.['link']);
};

/** Rows of the error table, in the order of validation; the row of an unknown `type` is our addition. */
export const SESSION_ROWS: readonly SessionRow[] = [
  {
    error: invalid(
      'messaging_product',
      fieldErrors.mustBe.shown('messaging_product', 'chat').text,
      'invalid or missing',
    ).with({ field: 'messaging_product', hint: 'Write "chat".' }),
    applies: ({ body }) => body['messaging_product'] !== 'chat',
  },
  {
    error: invalid('to_required', fieldErrors.required.shown('to').text, 'neither `to` nor `recipient`').with({
      field: 'to',
      hint: 'Give a number in `to`, or a user id in `recipient`.',
    }),
    applies: ({ body }) => !hasText(body['to']) && !hasText(body['recipient']),
  },
  {
    error: invalid('type_required', 'type is required', 'missing type').with({ field: 'type' }),
    applies: ({ type }) => type === null,
  },
  {
    error: invalid('type_unknown', `type must be one of: ${MESSAGE_TYPES.join(', ')}`, 'unknown type').with({
      field: 'type',
    }),
    applies: ({ type }) => !MESSAGE_TYPES.some((known) => known === type),
  },
  {
    error: recipientErrors.invalid,
    applies: ({ body }) => recipientFault(body) === 'invalid',
  },
  {
    error: recipientErrors.length,
    applies: ({ body }) => recipientFault(body) === 'length',
  },
  {
    error: recipientErrors.userId.because('no user id, and no `to`'),
    applies: ({ body }) => recipientFault(body) === 'user_id',
  },
  {
    error: invalid('text_body', 'text.body is required', 'text message without body').with({ field: 'text.body' }),
    applies: ofType('text', (part) => !hasText(objectOrNull(part)?.['body'])),
  },
  {
    error: invalid('image_required', 'image is required', 'image object missing').with({
      field: 'image',
      hint: 'Give { "link": "https://…" } or { "id": "…" }.',
    }),
    applies: ofType('image', (part) => objectOrNull(part) === null),
  },
  ...MEDIA_TYPES.map((type): SessionRow => ({
    error: invalid(`${type}_source`, `${type}.id or ${type}.link is required`, `${type} source missing`).with({
      field: type,
      hint: 'Give { "link": "https://…" } or { "id": "…" }.',
    }),
    applies: ofType(type, withoutSource),
  })),
  {
    error: invalid(
      'location_coordinates',
      'location.latitude and location.longitude are required',
      'coordinates missing',
    ).with({ field: 'location' }),
    applies: ofType('location', (part) => {
      const location = objectOrNull(part);
      return coordinate(location?.['latitude']) === null || coordinate(location?.['longitude']) === null;
    }),
  },
  {
    error: invalid('contacts_empty', fieldErrors.emptyArray.shown('contacts').text, 'contacts payload invalid').with({
      field: 'contacts',
    }),
    applies: ofType('contacts', (part) => !Array.isArray(part) || part.length === 0),
  },
  {
    error: invalid('interactive_required', 'interactive is required', 'interactive payload missing').with({
      field: 'interactive',
    }),
    applies: ofType('interactive', (part) => objectOrNull(part) === null),
  },
  {
    error: invalid('reaction_fields', 'reaction.message_id and reaction.emoji are required', 'reaction invalid').with({
      field: 'reaction',
    }),
    applies: ofType('reaction', (part) => {
      const reaction = objectOrNull(part);
      return !hasText(reaction?.['message_id']) || !hasText(reaction?.['emoji']);
    }),
  },
  {
    error: contentTooLarge.because("the type's object and `context` together"),
    applies: ({ body, type }) =>
      type !== null && type !== 'template' && isTooLargeJson([body[type], body['context'], body['recipient_type']]),
  },
];

export const SESSION_FORM_ERRORS: readonly DefinedError[] = SESSION_ROWS.map(({ error }) => error);

export type MessageContent = { type: string } & Record<string, unknown>;

/** A message to one recipient, ready to be sent. */
export interface SessionMessage {
  /** 8 to 20 digits, or a user id */
  to: string;
  content: MessageContent;
}

/** Whether a body is a template message, which reference/template-messages#fields describes. */
export const isTemplateRequest = (body: Readonly<Record<string, unknown>>): boolean => body['type'] === 'template';

/** Reads and validates a session message (reference/session-messages#errors). @returns it, or the first row that applies */
export function readSessionMessage(
  body: Readonly<Record<string, unknown>>,
): { message: SessionMessage } | { fault: SessionRow } {
  const type = textOrNull(body['type']);
  const fault = SESSION_ROWS.find((row) => row.applies({ body, type }));
  if (fault) return { fault };
  const recipient = addressOf(body);
  if (type === null || 'fault' in recipient) throw new Error('SESSION_ROWS let a body without type or recipient pass');
  const context = objectOrNull(body['context']);
  const recipientType = textOrNull(body['recipient_type']);
  return {
    message: {
      to: recipient.address,
      content: {
        ...(recipientType !== null && { recipient_type: recipientType }),
        type,
        [type]: partOf(type, body[type]),
        ...(context && { context }),
      },
    },
  };
}

function partOf(type: string, value: unknown): unknown {
  const part = objectOrNull(value);
  if (part === null) return value;
  if (type === 'text') return { ...part, body: textOrNull(part['body']) };
  if (type === 'location') {
    return { ...part, latitude: coordinate(part['latitude']), longitude: coordinate(part['longitude']) };
  }
  if (type === 'reaction') {
    return { ...part, message_id: textOrNull(part['message_id']), emoji: textOrNull(part['emoji']) };
  }
  return MEDIA_TYPES.some((media) => media === type) ? mediaOf(part) : part;
}

/** A file by its id, else by its link (reference/session-messages#chat). */
function mediaOf({ id, link, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const known = textOrNull(id);
  return known === null ? { ...rest, link: textOrNull(link) } : { ...rest, id: known };
}

const REFERENCE = /^session-([1-9]\d{0,15})$/;

/** Our reference of a session message; the provider returns it in its statuses. */
export const sessionReference = (id: number): string => `session-${id}`;

/** The id in a reference; null for references of campaigns. */
export function readSessionReference(reference: string | undefined): number | null {
  const digits = REFERENCE.exec(reference ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}
