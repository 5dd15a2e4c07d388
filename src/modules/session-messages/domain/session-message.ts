import { objectOrNull } from '../../../kernel/objects.js';
import { textOrNull } from '../../../kernel/text.js';
import { addressOf, coordinate, MEDIA_TYPES, SESSION_ROWS, type SessionRow } from './session-rows.js';

/** A message as the chat upstream takes it, without product, recipient and reference. */
export type MessageContent = { type: string } & Record<string, unknown>;

/** One message to one recipient, ready to leave. */
export interface SessionMessage {
  /** 8 to 20 digits, or a user id */
  to: string;
  content: MessageContent;
}

/** Whether a body asks for a template message: the request then goes the way of reference/template-messages#fields. */
export const isTemplateRequest = (body: Readonly<Record<string, unknown>>): boolean => body['type'] === 'template';

/**
 * Reads a session message and judges it by the error table (reference/session-messages#errors). The object of the type
 * and `context` are taken whole (reference/session-messages#chat); texts that came as numbers become texts.
 * @returns the message, or the first row that applies
 */
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

/** A file by its id or its link, never both: the id counts (reference/session-messages#chat). */
function mediaOf({ id, link, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const known = textOrNull(id);
  return known === null ? { ...rest, link: textOrNull(link) } : { ...rest, id: known };
}
