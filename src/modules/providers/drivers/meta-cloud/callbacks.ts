import { createHmac } from 'node:crypto';
import { isUserId, digitsOf } from '../../../../kernel/contacts.js';
import { type JsonObject, objectOrEmpty } from '../../../../kernel/json-values.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { ChatAccount } from '../../chat-account.js';
import type { ProviderPricing, Receipt } from '../../message-driver.js';

/** A review of a template, or a change of its category. */
export interface TemplateUpdate {
  upstreamId: string | null;
  name: string;
  language: string | null;
  /** upper case: `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED`, …; null = no review */
  event: string | null;
  reason: string | null;
  /** the provider's word for the present category; null = not said */
  category: string | null;
  /** the category announced for later; null = none */
  upcomingCategory: string | null;
  notice: ChatNotice;
}

/** Receives reviews and categories of templates. The templates module implements it; idempotent, resolves after its commit. */
export abstract class TemplateStatusSink {
  /** @returns updates of templates that the account does not have */
  abstract accept(account: ChatAccount, updates: readonly TemplateUpdate[]): Promise<TemplateUpdate[]>;
}

/** A part of a callback that the service does not act on, stored for staff. */
export interface ChatNotice {
  /** the provider's name: a field such as `phone_number_quality_update`, or a part of one such as `messages.errors` */
  kind: string;
  body: JsonObject;
}

const LONGEST_ID = 128;
const LONGEST_REF = 64;
const LONGEST_CONTACT = 32;
const LONGEST_TEXT = 200;
const LONGEST_TYPE = 32;

/** One of the two is known, or both. */
export interface ChatSender {
  number: string | null;
  userId: string | null;
}

export interface InboundMessage extends ChatSender {
  messageId: string;
  type: string;
  sentAt: Date;
  message: Record<string, unknown>;
}

/** A contact's changed consent to campaigns, made outside the conversation. */
export interface ConsentChange extends ChatSender {
  wants: boolean;
  saidAt: Date;
}

export interface Acquaintance {
  userId: string;
  number: string;
}

export type DropReason = 'other_connection' | 'unreadable' | 'no_sender' | 'unknown_kind';

export interface ChatCallback {
  receipts: Receipt[];
  messages: InboundMessage[];
  consents: ConsentChange[];
  acquaintances: Acquaintance[];
  templates: TemplateUpdate[];
  /** of `dropped`: all but those of other connections */
  notices: ChatNotice[];
  dropped: DropReason[];
}

export interface CallbackOwner {
  phoneNumberId: string | null;
  wabaId: string | null;
}

/** Maps, because the words come from outside: an object would find `constructor`. */
const STATUSES: ReadonlyMap<string, Receipt['status']> = new Map([
  ['sent', 'submitted'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  // a voice message was heard
  ['played', 'read'],
  ['failed', 'failed'],
]);

export const signatureOf = (bytes: Buffer, appSecret: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(bytes).digest('hex')}`;

/** Reads the owner's changes (reference/providers#receipts). @param receivedAt replaces missing or future times */
export function readCallback(owner: CallbackOwner, body: unknown, receivedAt: Date): ChatCallback {
  const read: ChatCallback = {
    receipts: [],
    messages: [],
    consents: [],
    acquaintances: [],
    templates: [],
    notices: [],
    dropped: [],
  };
  const entries = objects(objectOrEmpty(body)['entry']);
  if (entries.length === 0) drop(read, 'unknown_kind', { kind: UNNAMED, body: objectOrEmpty(body) });
  for (const entry of entries) {
    const changes = objects(entry['changes']);
    if (changes.length === 0) drop(read, 'unknown_kind', { kind: UNNAMED, body: entry });
    for (const change of changes) {
      const value = objectOrEmpty(change['value']);
      const readChange = CHANGES.get(textOf(change['field']) ?? '');
      if (readChange) readChange(owner, entry, value, receivedAt, read);
      else drop(read, 'unknown_kind', { kind: kindOf(change['field']), body: { entry_id: entry['id'], ...change } });
    }
  }
  return read;
}

/** The kind of what has no name. */
const UNNAMED = 'unnamed';
const KIND = /^\w[\w.]{0,63}$/;
const kindOf = (field: unknown): string => (typeof field === 'string' && KIND.test(field) ? field : UNNAMED);

function drop(read: ChatCallback, reason: DropReason, notice: ChatNotice): void {
  read.dropped.push(reason);
  if (reason !== 'other_connection') read.notices.push(notice);
}

type ReadChange = (
  owner: CallbackOwner,
  entry: JsonObject,
  value: JsonObject,
  receivedAt: Date,
  read: ChatCallback,
) => void;

const readMessages: ReadChange = (owner, _entry, value, receivedAt, read) => {
  const own = isOfNumber(owner, value);
  for (const status of objects(value['statuses'])) {
    const notice = { kind: 'messages.statuses', body: status };
    keep(read, read.receipts, own ? readReceipt(status) : 'other_connection', notice);
    if (own) read.acquaintances.push(...readRecipient(status));
  }
  const contacts = own ? readContacts(value) : [];
  for (const message of objects(value['messages'])) {
    const notice = { kind: 'messages.messages', body: message };
    keep(read, read.messages, own ? readMessage(message, contacts, receivedAt) : 'other_connection', notice);
    if (own) read.acquaintances.push(...readOwnCard(message, senderOf(message, contacts)));
  }
  if (Array.isArray(value['messages'])) read.acquaintances.push(...contacts.flatMap(acquainted));
  for (const [name, part] of Object.entries(value)) {
    if (READ_PARTS.has(name)) continue;
    const reason = own ? 'unknown_kind' : 'other_connection';
    drop(read, reason, { kind: kindOf(`messages.${name}`), body: { [name]: part } });
  }
};

/** Parts of the field `messages` that are read; others, such as `errors`, are stored. */
const READ_PARTS: ReadonlySet<string> = new Set(['messaging_product', 'metadata', 'contacts', 'statuses', 'messages']);

const readPreferences: ReadChange = (owner, _entry, value, receivedAt, read) => {
  const own = isOfNumber(owner, value);
  const contacts = own ? readContacts(value) : [];
  for (const preference of objects(value['user_preferences'])) {
    const notice = { kind: 'user_preferences', body: preference };
    keep(read, read.consents, own ? readConsent(preference, contacts, receivedAt) : 'other_connection', notice);
  }
  read.acquaintances.push(...contacts.flatMap(acquainted));
};

const REVIEW = 'message_template_status_update';
const CATEGORY = 'template_category_update';

const readTemplateChange =
  (kind: string, readUpdate: (value: JsonObject, notice: ChatNotice) => TemplateUpdate | DropReason): ReadChange =>
  (owner, entry, value, _receivedAt, read) => {
    const notice = { kind, body: value };
    const isOurs = isOwn(owner.wabaId, entry['id']);
    keep(read, read.templates, isOurs ? readUpdate(value, notice) : 'other_connection', notice);
  };

const CHANGES: ReadonlyMap<string, ReadChange> = new Map([
  ['messages', readMessages],
  ['user_preferences', readPreferences],
  [REVIEW, readTemplateChange(REVIEW, (value, notice) => readReview(value, notice))],
  [CATEGORY, readTemplateChange(CATEGORY, (value, notice) => readCategoryChange(value, notice))],
]);

const isOfNumber = (owner: CallbackOwner, value: JsonObject): boolean =>
  isOwn(owner.phoneNumberId, objectOrEmpty(value['metadata'])['phone_number_id']);

const isOwn = (ours: string | null, theirs: unknown): boolean => ours !== null && textOf(theirs) === ours;

function keep<Item extends object>(
  read: ChatCallback,
  list: Item[],
  item: Item | DropReason,
  notice: ChatNotice,
): void {
  if (typeof item === 'string') drop(read, item, notice);
  else list.push(item);
}

function readReceipt(status: JsonObject): Receipt | DropReason {
  const id = textOf(status['id']);
  const word = STATUSES.get(textOf(status['status']) ?? '');
  if (id === null || id.length > LONGEST_ID || word === undefined) return 'unreadable';
  const ref = textOf(status['biz_opaque_callback_data']);
  const pricing = readPricing(status);
  return {
    providerMessageId: id,
    status: word,
    ...(word === 'failed' ? readFailure(status) : { errorCode: null, errorText: null }),
    receiver: numberOf(status['recipient_id']),
    ...(ref !== null && ref.length <= LONGEST_REF && { ref }),
    ...(pricing && { pricing }),
  };
}

/** Words of prices are stored. */
const PRICE_WORD = /^\w{1,32}$/;

function readPricing(status: JsonObject): ProviderPricing | null {
  const pricing = objectOrEmpty(status['pricing']);
  const origin = objectOrEmpty(objectOrEmpty(status['conversation'])['origin'])['type'];
  const wordOf = (value: unknown): string | null =>
    typeof value === 'string' && PRICE_WORD.test(value) ? value : null;
  const category = wordOf(pricing['category']) ?? wordOf(origin);
  if (category === null) return null;
  const { billable } = pricing;
  return {
    category: category.toLowerCase(),
    billable: typeof billable === 'boolean' ? billable : null,
    model: wordOf(pricing['pricing_model']),
    type: wordOf(pricing['type']),
  };
}

function readFailure(status: JsonObject): { errorCode: number | null; errorText: string } {
  const [error = {}] = objects(status['errors']);
  const { code } = error;
  const texts = [error['title'], error['message'], objectOrEmpty(error['error_data'])['details']];
  const text = texts.map(textOf).find((found) => found !== null) ?? 'Failed at the provider';
  return {
    errorCode: typeof code === 'number' && Number.isSafeInteger(code) ? code : null,
    errorText: cutCodePoints(text, LONGEST_TEXT),
  };
}

/** Profiles beside messages: they name a contact without a number by its user id. */
const readContacts = (value: JsonObject): ChatSender[] =>
  objects(value['contacts']).map((contact) => ({
    number: numberOf(contact['wa_id']),
    userId: userIdOf(contact['user_id']),
  }));

function senderOf(message: JsonObject, contacts: readonly ChatSender[]): ChatSender {
  const number = numberOf(message['from']);
  const userId = userIdOf(message['from_user_id']) ?? userIdOf(message['from']);
  if (userId !== null) return { number, userId };
  if (number !== null) return { number, userId: contacts.find((contact) => contact.number === number)?.userId ?? null };
  const [only, ...others] = contacts;
  return only && others.length === 0 ? only : { number: null, userId: null };
}

function readMessage(
  message: JsonObject,
  contacts: readonly ChatSender[],
  receivedAt: Date,
): InboundMessage | DropReason {
  const id = textOf(message['id']);
  if (id === null || id.length > LONGEST_ID) return 'unreadable';
  const sender = senderOf(message, contacts);
  if (sender.number === null && sender.userId === null) return 'no_sender';
  return {
    ...sender,
    messageId: id,
    type: cutCodePoints(textOf(message['type']) ?? 'unknown', LONGEST_TYPE),
    sentAt: timeOf(message, receivedAt),
    message,
  };
}

function readConsent(
  preference: JsonObject,
  contacts: readonly ChatSender[],
  receivedAt: Date,
): ConsentChange | DropReason {
  const value = textOf(preference['value'])?.toLowerCase();
  if (value !== 'stop' && value !== 'resume') return 'unreadable';
  const named = { from: preference['wa_id'], from_user_id: preference['user_id'] };
  const sender = senderOf(named, contacts);
  if (sender.number === null && sender.userId === null) return 'no_sender';
  return { ...sender, wants: value === 'resume', saidAt: timeOf(preference, receivedAt) };
}

function timeOf(item: JsonObject, receivedAt: Date): Date {
  const sent = Number(item['timestamp']) * 1000;
  return sent > 0 && sent <= receivedAt.getTime() ? new Date(sent) : receivedAt;
}

export const acquainted = ({ number, userId }: ChatSender): Acquaintance[] =>
  number !== null && userId !== null ? [{ number, userId }] : [];

/** Number and user id of a recipient come once, with delivery. */
const readRecipient = (status: JsonObject): Acquaintance[] =>
  status['status'] === 'delivered'
    ? acquainted({ number: numberOf(status['recipient_id']), userId: userIdOf(status['recipient_user_id']) })
    : [];

/** Only the answer to a contact request has the sender's own number; other cards may be another person's. */
function readOwnCard(message: JsonObject, { userId }: ChatSender): Acquaintance[] {
  if (!(textOf(message['origin']) ?? '').startsWith('contact_request')) return [];
  const [card = {}] = objects(message['contacts']);
  const [phone = {}] = objects(card['phones']);
  return acquainted({ number: numberOf(phone['wa_id']) ?? numberOf(phone['phone']), userId });
}

/** The contact's text or pressed button, as plain text; '' = anything else. */
export function textOfMessage(message: JsonObject): string {
  const pressed = objectOrEmpty(objectOrEmpty(message['interactive'])['button_reply'])['title'];
  const texts = [objectOrEmpty(message['text'])['body'], objectOrEmpty(message['button'])['text'], pressed];
  return texts.map(textOf).find((text) => text !== null) ?? '';
}

function readReview(value: JsonObject, notice: ChatNotice): TemplateUpdate | DropReason {
  const named = readTemplate(value);
  const event = textOf(value['event']);
  if (named === null || event === null) return 'unreadable';
  const reason = textOf(value['reason']) ?? textOf(objectOrEmpty(value['disable_info'])['reason']);
  return {
    ...named,
    event: event.toUpperCase(),
    reason: reason === null || reason.toUpperCase() === 'NONE' ? null : reason,
    category: textOf(value['message_template_category']),
    upcomingCategory: null,
    notice,
  };
}

/** A change has the new category; an announcement has the present one as new, and the later one as correct. */
function readCategoryChange(value: JsonObject, notice: ChatNotice): TemplateUpdate | DropReason {
  const named = readTemplate(value);
  const category = textOf(value['new_category']);
  const upcomingCategory = textOf(value['correct_category']);
  if (named === null || (category === null && upcomingCategory === null)) return 'unreadable';
  return { ...named, event: null, reason: null, category, upcomingCategory, notice };
}

function readTemplate(value: JsonObject): Pick<TemplateUpdate, 'upstreamId' | 'name' | 'language'> | null {
  const name = textOf(value['message_template_name']);
  if (name === null) return null;
  const [upstreamId, language] = [value['message_template_id'], value['message_template_language']].map(textOf);
  return { upstreamId: upstreamId ?? null, name, language: language ?? null };
}

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectOrEmpty) : []);

/** Ids come as texts and as numbers. */
const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
};

/** The digits of a user id are not a phone number. */
const numberOf = (value: unknown): string | null => {
  const text = textOf(value) ?? '';
  const digits = isUserId(text) ? '' : digitsOf(text);
  return digits === '' || digits.length > LONGEST_CONTACT ? null : digits;
};

const userIdOf = (value: unknown): string | null => {
  const text = textOf(value);
  return text !== null && isUserId(text) ? text : null;
};
