import { createHmac } from 'node:crypto';
import { digitsOf } from '../../../../kernel/phone-number.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { Receipt } from '../../ports/message-driver.js';
import type { TemplateStatusUpdate } from '../../ports/template-status-sink.js';

const LONGEST_ID = 128;
const LONGEST_REF = 64;
const LONGEST_CONTACT = 32;
const LONGEST_TEXT = 200;
const LONGEST_TYPE = 32;

/** A message of a contact, as the upstream wrote it. */
export interface InboundMessage {
  messageId: string;
  contact: string;
  type: string;
  sentAt: Date;
  message: Record<string, unknown>;
}

/** What a callback holds for one chat account. */
export interface ChatCallback {
  receipts: Receipt[];
  messages: InboundMessage[];
  templates: TemplateStatusUpdate[];
  /** statuses, messages and updates of another number or business account, or that nobody can read */
  dropped: number;
}

/** The ids by which a callback names its account. */
export interface CallbackOwner {
  phoneNumberId: string | null;
  wabaId: string | null;
}

type Json = Record<string, unknown>;

const STATUSES: Readonly<Record<string, Receipt['status']>> = {
  sent: 'submitted',
  delivered: 'delivered',
  read: 'read',
  // a voice message was heard
  played: 'read',
  failed: 'failed',
};

/** `X-Hub-Signature-256` of these bytes. */
export const signatureOf = (bytes: Buffer, appSecret: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(bytes).digest('hex')}`;

/**
 * Reads a callback of the upstream: `entry[].changes[]`, each of one number (`messages`) or one business account
 * (`message_template_status_update`). Only what belongs to the owner counts (decisions §10).
 * @param receivedAt stands in for a message's own time where that is missing or lies ahead
 */
export function readCallback(owner: CallbackOwner, body: unknown, receivedAt: Date): ChatCallback {
  const read: ChatCallback = { receipts: [], messages: [], templates: [], dropped: 0 };
  for (const entry of objects(asObject(body)['entry'])) {
    for (const change of objects(entry['changes'])) {
      const value = asObject(change['value']);
      if (change['field'] === 'messages') readMessages(owner, value, receivedAt, read);
      else if (change['field'] === 'message_template_status_update') {
        keep(read, read.templates, isOwn(owner.wabaId, entry['id']) ? readTemplate(value) : null);
      } else read.dropped += 1;
    }
  }
  return read;
}

function readMessages(owner: CallbackOwner, value: Json, receivedAt: Date, read: ChatCallback): void {
  const own = isOwn(owner.phoneNumberId, asObject(value['metadata'])['phone_number_id']);
  for (const status of objects(value['statuses'])) keep(read, read.receipts, own ? readReceipt(status) : null);
  for (const message of objects(value['messages'])) {
    keep(read, read.messages, own ? readMessage(message, receivedAt) : null);
  }
}

const isOwn = (ours: string | null, theirs: unknown): boolean => ours !== null && textOf(theirs) === ours;

function keep<Item>(read: ChatCallback, list: Item[], item: Item | null): void {
  if (item === null) read.dropped += 1;
  else list.push(item);
}

function readReceipt(status: Json): Receipt | null {
  const id = textOf(status['id']);
  const word = STATUSES[textOf(status['status']) ?? ''];
  if (id === null || id.length > LONGEST_ID || word === undefined) return null;
  const receiver = digitsOf(textOf(status['recipient_id']) ?? '');
  const ref = textOf(status['biz_opaque_callback_data']);
  return {
    providerMessageId: id,
    status: word,
    ...(word === 'failed' ? readFailure(status) : { errorCode: null, errorText: null }),
    receiver: receiver === '' ? null : receiver,
    ...(ref !== null && ref.length <= LONGEST_REF && { ref }),
  };
}

function readFailure(status: Json): { errorCode: number | null; errorText: string } {
  const [error = {}] = objects(status['errors']);
  const { code } = error;
  const texts = [error['title'], error['message'], asObject(error['error_data'])['details']];
  const text = texts.map(textOf).find((found) => found !== null) ?? 'Failed at the provider';
  return {
    errorCode: typeof code === 'number' && Number.isSafeInteger(code) ? code : null,
    errorText: cutCodePoints(text, LONGEST_TEXT),
  };
}

function readMessage(message: Json, receivedAt: Date): InboundMessage | null {
  const id = textOf(message['id']);
  const contact = digitsOf(textOf(message['from']) ?? '');
  if (id === null || id.length > LONGEST_ID || contact === '' || contact.length > LONGEST_CONTACT) return null;
  const sent = Number(message['timestamp']) * 1000;
  const isPast = sent > 0 && sent <= receivedAt.getTime();
  return {
    messageId: id,
    contact,
    type: cutCodePoints(textOf(message['type']) ?? 'unknown', LONGEST_TYPE),
    sentAt: isPast ? new Date(sent) : receivedAt,
    message,
  };
}

/** What the contact wrote or pressed, as plain text; '' for anything else. */
export function textOfMessage(message: Json): string {
  const pressed = asObject(asObject(message['interactive'])['button_reply'])['title'];
  const texts = [asObject(message['text'])['body'], asObject(message['button'])['text'], pressed];
  return texts.map(textOf).find((text) => text !== null) ?? '';
}

function readTemplate(value: Json): TemplateStatusUpdate | null {
  const name = textOf(value['message_template_name']);
  const event = textOf(value['event']);
  if (name === null || event === null) return null;
  const reason = textOf(value['reason']) ?? textOf(asObject(value['disable_info'])['reason']);
  return {
    upstreamId: textOf(value['message_template_id']),
    name,
    language: textOf(value['message_template_language']),
    event: event.toUpperCase(),
    reason: reason === null || reason.toUpperCase() === 'NONE' ? null : reason,
  };
}

const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asObject) : []);

/** A text, or a number as its text: ids come as both. */
const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
};
