import { isUserId } from '../../../../kernel/chat-user-id.js';
import { isObject } from '../../../../kernel/objects.js';
import type { OutboundMessage } from '../../ports/message-driver.js';
import type { GraphCall } from './graph-exchange.js';

/** The product's name on the upstream's wire; everywhere else it is `chat`. */
export const WIRE_PRODUCT = 'whatsapp';
const OUR_PRODUCT = 'chat';

/** One message as the upstream wants it: the payload (`type` and its object, `context`) for a recipient. */
export interface GraphMessage {
  /** digits, or a user id */
  to: string;
  payload: Readonly<Record<string, unknown>>;
  /** comes back in statuses as `biz_opaque_callback_data` */
  ref?: string;
}

/** Where messages of a number go: a JSON call whose body is still empty. */
export const messagesCall = (phoneNumberId: string): GraphCall => ({
  method: 'POST',
  path: `/${phoneNumberId}/messages`,
  json: {},
});

/** The call that sends a message. What the payload says of product, recipient and reference does not count. */
export const messageCall = (phoneNumberId: string, { to, payload, ref }: GraphMessage): GraphCall => ({
  ...messagesCall(phoneNumberId),
  json: {
    ...withoutRecipient(payload),
    ...(isUserId(to) ? { recipient: to } : { to }),
    ...(ref !== undefined && { biz_opaque_callback_data: ref }),
  },
});

function withoutRecipient(payload: GraphMessage['payload']): Record<string, unknown> {
  const common: Record<string, unknown> = { recipient_type: 'individual', ...payload, messaging_product: WIRE_PRODUCT };
  delete common['to'];
  delete common['recipient'];
  delete common['biz_opaque_callback_data'];
  return common;
}

/**
 * Bodies of messages that differ in recipient and reference alone: what a campaign's messages have in common is written
 * once for as long as the payload is the same object.
 */
export class MessageBodies {
  private readonly beginnings = new WeakMap<GraphMessage['payload'], string>();

  of({ to, payload, ref }: GraphMessage): string {
    let beginning = this.beginnings.get(payload);
    if (beginning === undefined) {
      beginning = JSON.stringify(withoutRecipient(payload)).slice(0, -1);
      this.beginnings.set(payload, beginning);
    }
    const reference = ref === undefined ? '' : `,"biz_opaque_callback_data":${JSON.stringify(ref)}`;
    return `${beginning},"to":${JSON.stringify(to)}${reference}}`;
  }
}

/** The engine's message; without a payload it is a plain text. */
export const toGraphMessage = ({ ref, to, text, payload }: OutboundMessage): GraphMessage => ({
  ref,
  to,
  payload: payload ?? { type: 'text', text: { body: text } },
});

/** An answer in our words: `messaging_product` reads `chat`, at the top and in a list of records (`data`). */
export function inOurWords(body: Record<string, unknown>): Record<string, unknown> {
  const ours = renamed(body);
  return Array.isArray(ours['data']) ? { ...ours, data: (ours['data'] as unknown[]).map(renamedItem) } : ours;
}

const renamed = (record: Record<string, unknown>): Record<string, unknown> =>
  record['messaging_product'] === WIRE_PRODUCT ? { ...record, messaging_product: OUR_PRODUCT } : record;

const renamedItem = (item: unknown): unknown => (isObject(item) ? renamed(item) : item);
