import { isUserId } from '../../../../kernel/contacts.js';
import { isObject, objectOrEmpty } from '../../../../kernel/json-values.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { OutboundMessage, SendOutcome } from '../../message-driver.js';
import { outcomeOfAnswer, outcomeOfFault, type Verdict } from '../carrier-answers.js';
import { isTemporary, providerErrorCode, providerErrorText, throttleMs } from './answers.js';
import type { GraphCall, GraphExchange } from './graph-exchange.js';

/** The product's name on the wire; everywhere else it is `chat`. */
export const WIRE_PRODUCT = 'whatsapp';
const OUR_PRODUCT = 'chat';

/** A payload (`type`, its object, `context`) for one recipient. */
export interface GraphMessage {
  to: string;
  payload: Readonly<Record<string, unknown>>;
  /** statuses return it as `biz_opaque_callback_data` */
  ref?: string;
}

export const messagesCall = (phoneNumberId: string): GraphCall => ({
  method: 'POST',
  path: `/${phoneNumberId}/messages`,
  json: {},
});

/** The call that sends a message; product, recipient and reference in the payload are ignored. */
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

/** Caches by payload object the JSON that a campaign's bodies share. */
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

export const toGraphMessage = ({ ref, to, text, payload }: OutboundMessage): GraphMessage => ({
  ref,
  to,
  payload: payload ?? { type: 'text', text: { body: text } },
});

/** `messaging_product` becomes `chat`, at the top and in the records of `data`. */
export function inOurWords(body: Record<string, unknown>): Record<string, unknown> {
  const ours = renamed(body);
  return Array.isArray(ours['data']) ? { ...ours, data: (ours['data'] as unknown[]).map(renamedItem) } : ours;
}

const renamed = (record: Record<string, unknown>): Record<string, unknown> =>
  record['messaging_product'] === WIRE_PRODUCT ? { ...record, messaging_product: OUR_PRODUCT } : record;

const renamedItem = (item: unknown): unknown => (isObject(item) ? renamed(item) : item);

export const TITLE = 'Provider';
const LONGEST_ID = 128;
const LONGEST_TEXT = 200;

/** The outcome of an exchange (reference/providers#answers-of-carriers-and-providers). */
export function outcomeOf(exchange: GraphExchange): SendOutcome {
  if (exchange.kind === 'fault') return outcomeOfFault(TITLE, exchange.error);
  const { status, retryAfter } = exchange;
  const body = exchange.kind === 'answer' ? exchange.body : null;
  if (status >= 200 && status < 300) return accepted(body);
  const code = providerErrorCode(body);
  const text = body ? cutCodePoints(providerErrorText(body), LONGEST_TEXT) : `Provider answered ${status}`;
  const afterMs = throttleMs(code);
  const said = { code: code ?? status, text, retryAfter, ...(afterMs !== null && { afterMs }) };
  return outcomeOfAnswer(status, said, verdictOfCode(code));
}

/** The provider's code is more precise than the HTTP status. */
const verdictOfCode = (code: number | null): Verdict | null =>
  throttleMs(code) !== null ? 'busy' : isTemporary(code) ? 'fault' : null;

/** A success without an id may or may not have been taken. */
function accepted(body: Record<string, unknown> | null): SendOutcome {
  const messages = body?.['messages'];
  const { id } = objectOrEmpty(Array.isArray(messages) ? messages[0] : null);
  const usable = typeof id === 'string' && id.trim() !== '' && id.length <= LONGEST_ID;
  return usable ? { kind: 'accepted', providerMessageIds: [id] } : { kind: 'unknown' };
}
