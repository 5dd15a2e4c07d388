import { isUserId } from '../../../kernel/chat-user-id.js';
import { objectOrNull } from '../../../kernel/objects.js';
import { readRecipient, RECIPIENT_TEXTS } from '../../../kernel/phone-number.js';
import { isTooLargeJson, textOrNull } from '../../../kernel/text.js';

/** Values of `type` (reference/session-messages#chat), in the order of the table. */
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

/** Types that name a file of the upstream by `id`, or any by `link`. */
export const MEDIA_TYPES = ['image', 'audio', 'video', 'document', 'sticker'] as const;

/** What is said of a `recipient` that is none. */
export const RECIPIENT_USER_ID_TEXT = 'recipient is invalid';

/** What the rows look at: the body as it came, and its `type` as a text. */
export interface SessionFields {
  body: Readonly<Record<string, unknown>>;
  type: string | null;
}

/** One row of the error table of reference/session-messages#errors: everything that looks at the body alone. */
export interface SessionRow {
  code: string;
  text: string;
  reason: string;
  applies: (fields: SessionFields) => boolean;
}

const hasText = (value: unknown): boolean => textOrNull(value) !== null;

/** A coordinate: a finite number, or a text that is one. */
export function coordinate(value: unknown): number | null {
  const text = textOrNull(value);
  return text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
}

/** Whom a body names: `to`, else `recipient`; a number comes first where both are given. */
export function addressOf({ to, recipient }: SessionFields['body']): { address: string } | { fault: string } {
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

/** Of every session message, v5 too (reference/session-messages#errors). */
export const TOO_LARGE_TEXT = 'Message content must be at most 64 KB';

/**
 * The rows in the order in which they are judged (reference/session-messages#errors); the unknown `type` is ours and
 * follows its field.
 */
export const SESSION_ROWS: readonly SessionRow[] = [
  {
    code: 'messaging_product',
    text: 'messaging_product must be chat',
    reason: 'invalid or missing',
    applies: ({ body }) => body['messaging_product'] !== 'chat',
  },
  {
    code: 'to_required',
    text: 'to is required',
    reason: 'neither `to` nor `recipient`',
    applies: ({ body }) => !hasText(body['to']) && !hasText(body['recipient']),
  },
  {
    code: 'type_required',
    text: 'type is required',
    reason: 'missing type',
    applies: ({ type }) => type === null,
  },
  {
    code: 'type_unknown',
    text: `type must be one of: ${MESSAGE_TYPES.join(', ')}`,
    reason: 'unknown type',
    applies: ({ type }) => !MESSAGE_TYPES.some((known) => known === type),
  },
  {
    code: 'recipient_invalid',
    text: RECIPIENT_TEXTS.invalid,
    reason: 'invalid after cleanup',
    applies: ({ body }) => recipientFault(body) === 'invalid',
  },
  {
    code: 'recipient_length',
    text: RECIPIENT_TEXTS.length,
    reason: 'bad length',
    applies: ({ body }) => recipientFault(body) === 'length',
  },
  {
    code: 'recipient_user_id',
    text: RECIPIENT_USER_ID_TEXT,
    reason: 'no user id, and no `to`',
    applies: ({ body }) => recipientFault(body) === 'user_id',
  },
  {
    code: 'text_body',
    text: 'text.body is required',
    reason: 'text message without body',
    applies: ofType('text', (part) => !hasText(objectOrNull(part)?.['body'])),
  },
  {
    code: 'image_required',
    text: 'image is required',
    reason: 'image object missing',
    applies: ofType('image', (part) => objectOrNull(part) === null),
  },
  ...MEDIA_TYPES.map((type): SessionRow => ({
    code: `${type}_source`,
    text: `${type}.id or ${type}.link is required`,
    reason: `${type} source missing`,
    applies: ofType(type, withoutSource),
  })),
  {
    code: 'location_coordinates',
    text: 'location.latitude and location.longitude are required',
    reason: 'coordinates missing',
    applies: ofType('location', (part) => {
      const location = objectOrNull(part);
      return coordinate(location?.['latitude']) === null || coordinate(location?.['longitude']) === null;
    }),
  },
  {
    code: 'contacts_empty',
    text: 'contacts must be a non-empty array',
    reason: 'contacts payload invalid',
    applies: ofType('contacts', (part) => !Array.isArray(part) || part.length === 0),
  },
  {
    code: 'interactive_required',
    text: 'interactive is required',
    reason: 'interactive payload missing',
    applies: ofType('interactive', (part) => objectOrNull(part) === null),
  },
  {
    code: 'reaction_fields',
    text: 'reaction.message_id and reaction.emoji are required',
    reason: 'reaction invalid',
    applies: ofType('reaction', (part) => {
      const reaction = objectOrNull(part);
      return !hasText(reaction?.['message_id']) || !hasText(reaction?.['emoji']);
    }),
  },
  {
    code: 'content_too_large',
    text: TOO_LARGE_TEXT,
    reason: "the type's object and `context` together",
    applies: ({ body, type }) =>
      type !== null && type !== 'template' && isTooLargeJson([body[type], body['context'], body['recipient_type']]),
  },
];
