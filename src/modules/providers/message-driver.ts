import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { CodedText, TextEncoding, TextPart } from '../../platform/smpp/index.js';

export interface InboundText {
  /** sender: digits with country code, or a user id */
  from: string;
  text: string;
  /** a further address of the sender: START lifts its suppression, STOP does not apply to it */
  isAlias?: boolean;
  /** what a carrier says of an SMS besides; absent on chat */
  sms?: InboundSms;
}

export interface InboundSms {
  /** the sender as the carrier writes it */
  source: string;
  /** its type of number (SMPP 3.4 §5.2.5) */
  ton: number;
  to: string;
  encoding: TextEncoding;
  /** a part of a longer message: its bytes in hexadecimal, since only whole messages can be decoded */
  part: (TextPart & { body: string } & Omit<CodedText, 'body'>) | null;
  delivery: InboundDelivery;
}

/** Tells a repeated delivery from a second text with the same words. */
export interface InboundDelivery {
  /** of everything that a repetition has in common with the first delivery: SHA-256, base64url */
  fingerprint: string;
  /** of one session: a repetition over it may have the same one; null = the carrier gives none */
  sequence: number | null;
  /** milliseconds in which a delivery may be repeated */
  repeatableMs: number;
  /** an equal delivery was answered in time over the same session, under another sequence: this is another text */
  isAnother: boolean;
}

/** Receives texts over operators' routes. The inbound-messages module implements it. */
export abstract class InboundSink {
  /** Texts over an operator's route, which accounts share. Resolves after its commit; only then are they acknowledged. */
  abstract accept(routeId: number, texts: readonly InboundText[]): Promise<void>;

  /** The carrier has the answers to these deliveries: an equal one is another text from now on. Never rejects. */
  abstract acknowledged(fingerprints: readonly string[]): void;
}

/** Receives what contacts of a chat account say about their consent. The suppressions module implements it. */
export abstract class ConsentSink {
  /** Texts to one account's chat account, each once, in the transaction that stores them. */
  abstract take(
    tx: EntityManager,
    chat: { routeId: number; accountId: number },
    texts: readonly InboundText[],
  ): Promise<void>;

  /** Links user ids of a chat account with their numbers: a consent under one applies to the other. */
  abstract identify(
    tx: EntityManager,
    chat: { routeId: number; accountId: number },
    contacts: readonly { userId: string; number: string }[],
  ): Promise<void>;
}

/** Kinds of operators' routes. Drivers know no channels: a channel names its kind of route, and several may share one. */
export const OPERATOR_ROUTE_KINDS = ['sms', 'unofficial', 'voice'] as const;
export type OperatorRouteKind = (typeof OPERATOR_ROUTE_KINDS)[number];

/** Kinds of connections: an operator's route, or (`chat`) the chat account of one customer. */
export type RouteKind = OperatorRouteKind | 'chat';

/** A route as drivers see it, with its secrets in plain text. */
export interface Route<Config = unknown> {
  id: number;
  name: string;
  channel: RouteKind;
  driver: string;
  config: Config;
  messagesPerSecond: number | null;
  callbackSecret: string;
  /** staff without super wrote the config: only public addresses and `ROUTE_NETWORKS` are reached */
  guarded?: boolean;
}

export interface DltIds {
  entityId?: string;
  templateId?: string;
}

export interface CarrierDemands {
  dltTemplateId: boolean;
  dltEntityId: boolean;
}

/** One message to one recipient. */
export interface OutboundMessage {
  /** client reference, the same for every attempt: `<campaign id>-<seq>` */
  ref: string;
  to: string;
  text: string;
  /** attachment that the carrier fetches */
  mediaUrl?: string;
  /** further attachments, sent in order as items with their own ids */
  attachments?: readonly string[];
  /** request of a provider with its own shapes (Meta Cloud API), without recipient and reference */
  payload?: Readonly<Record<string, unknown>>;
  /** replaces the route's sender: a name or digits; ignored by carriers without senders */
  sender?: string | undefined;
  dlt?: DltIds;
  /** seconds, at least 1, in which the carrier may deliver; absent = the carrier's default */
  validitySeconds?: number;
  /** tried before */
  again?: boolean;
  /** a single message: overtakes messages of campaigns that wait in the connection */
  urgent?: boolean | undefined;
  /**
   * Called at most once, right before the first byte may reach the socket: until then the message has certainly not left.
   * An exception keeps it from leaving. @param others number of messages that follow in the same write; absent = none
   */
  leaving?: ((others?: number) => void) | undefined;
  /** `performance.now()` after which the message is `unsent`: another worker may have the lane's lease */
  notAfter: number;
  /** True when the route or the recipient is stopped: a message that waits in the connection then ends `unsent`, without a fault. */
  hasStopped?: () => boolean;
}

interface Said {
  code: number | null;
  text: string;
  carrierCode?: string;
}

/** The outcome of one send (reference/providers#never-left-may-have-left-left). `elsewhere` = another route may carry it. */
export type SendOutcome =
  /** Taken: one id a part, in order, at least one. An answer without an id for a part is `unknown`. */
  | { kind: 'accepted'; providerMessageIds: string[] }
  /** Final. `submitted: false` = never left: refunded. `taken` = parts that the carrier may have, and charges. */
  | (Said & { kind: 'rejected'; submitted: boolean; taken?: number; elsewhere?: true })
  /** Not taken; retry later. `throttled` = the carrier is busy: no attempt is counted. */
  | (Said & { kind: 'retry'; afterMs: number; throttled: boolean; elsewhere?: true })
  /** Never left: waits for the route without limit; no attempt is counted. */
  | { kind: 'unsent'; afterMs: number; text: string }
  /** May have left: never resent. */
  | { kind: 'unknown' };

/** What a provider says it bills for a message, in its words. */
export interface ProviderPricing {
  category: string;
  /** null = it does not say */
  billable: boolean | null;
  model: string | null;
  type: string | null;
}

export interface Receipt {
  providerMessageId: string;
  status: 'submitted' | 'delivered' | 'read' | 'failed' | 'answered' | 'no_answer' | 'busy';
  errorCode: number | null;
  errorText: string | null;
  carrierCode?: string;
  /** recipient's number in the receipt; settles a recipient of unknown outcome */
  receiver: string | null;
  /** the receipt's other number: some carriers do not swap sender and recipient */
  otherAddress?: string;
  /** calls only: seconds from the answer to the end; absent or 0 = unanswered */
  durationSeconds?: number;
  /** our reference, if the carrier returns it */
  ref?: string;
  /** the id is in the form in which ids are stored: no other spelling of it is looked for */
  isExact?: true;
  decidedBy?: Exclude<DecidingItems, 'all'>;
  /** not marked as a receipt: it counts for a message of this id and number alone, else it is this text of a handset */
  orText?: InboundText;
  pricing?: ProviderPricing;
}

export const DECIDING_ITEMS = ['all', 'last', 'first', 'any'] as const;
export type DecidingItems = (typeof DECIDING_ITEMS)[number];

/** An open connection to one carrier, or to the chat provider. */
export interface RouteConnection {
  /** false = the carrier is unreachable: the engine sends nothing and checks again soon */
  readonly ready: boolean;
  /** true = a single message tests a failing carrier: the others wait */
  readonly onTrial?: boolean;
  /** milliseconds to pause while the carrier throttles everything; absent or 0 = none */
  readonly backoffMs?: number;
  /** true = the first attempt to connect has not ended; absent = false */
  readonly isUntried?: boolean;
  /** why the carrier is unusable, for staff; null = no fault */
  readonly fault: string | null;
  /** the carrier's text when it last refused a session; absent or null = not refused */
  readonly refusal?: string | null;
  /** Never rejects: every fault is an outcome. Resolves within 30 s. */
  send(message: OutboundMessage): Promise<SendOutcome>;
  /** Takes no more messages, waits for answers under way, closes. @param waitMs default 10 s */
  close(waitMs?: number): Promise<void>;
}

export interface ProviderCallback {
  method: string;
  query: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

export interface DroppedEntry {
  reason: 'no_entry' | 'no_id' | 'unknown_status';
  word: string | null;
}

export interface CallbackContent {
  receipts: Receipt[];
  texts: InboundText[];
  dropped: DroppedEntry[];
}

/**
 * The port to one kind of carrier, or to the chat provider; one folder in `drivers/` each. Drivers know no campaign, account
 * or database.
 *
 * @example
 * const driver: MessageDriver<{ url: string }> = {
 *   name: 'echo', channels: ['sms'], bringsTexts: false, secretFields: [], addressFields: ['url'],
 *   configSchema: z.object({ url: z.url() }),
 *   deduplicates: () => false,
 *   open: () => ({
 *     ready: true, fault: null,
 *     send: ({ ref }) => Promise.resolve({ kind: 'accepted', providerMessageIds: [ref] }),
 *     close: () => Promise.resolve(),
 *   }),
 * };
 */
export interface MessageDriver<Config = unknown> {
  readonly name: string;
  readonly channels: readonly RouteKind[];
  /** true = the carrier drops a repeated `ref`: only then is an ambiguous send repeated */
  deduplicates(config: Config): boolean;
  /** Milliseconds without a receipt after which recipients fail; absent or null = `RECEIPT_TIMEOUT`. */
  receiptTimeoutMs?(config: Config): number | null;
  /** Milliseconds without a receipt after which a message is asked for (`ask`); absent = never. */
  asksAfterMs?(config: Config): number;
  /** Asks for the outcome of a message; null = not over, or unknown. Never rejects. */
  ask?(route: Route<Config>, providerMessageId: string): Promise<Receipt | null>;
  /** true = handsets may answer over shared routes: answers go to `InboundSink.accept` */
  readonly bringsTexts: boolean;
  /** true = the carrier counts the sessions of a login: a route may limit those of all workers */
  readonly bindsSessions?: true;
  /** absent = takes every message */
  demandsOf?(config: Config): CarrierDemands;
  /** whether a message's DLT ids go to the carrier; absent = no */
  sendsDlt?(config: Config): boolean;
  /** The carrier's host and the login there, which several routes may share. */
  loginOf?(config: Config): string;
  /** validates `config` of a route; `secretFields` read back as `***` */
  readonly configSchema: z.ZodType<Config>;
  readonly secretFields: readonly string[];
  /** where the secrets go: after a change they must be given again (reference/providers#secrets) */
  readonly addressFields: readonly string[];
  /** ids and texts of outcomes come from where the config points in the answer */
  readonly quotesAnswers?: true;
  /** Both callbacks resolve after their commit; only then may the driver acknowledge receipts and texts to the carrier. */
  open(
    route: Route<Config>,
    onReceipts: (receipts: Receipt[]) => Promise<void>,
    onInbound: (texts: InboundText[]) => Promise<void>,
    onAcknowledged?: (fingerprints: readonly string[]) => void,
  ): RouteConnection;
  parseCallback?(route: Route<Config>, callback: ProviderCallback): CallbackContent;
}

/** Receives receipts. The campaign engine implements it; resolves after its commit. */
export abstract class ReceiptSink {
  abstract accept(routeId: number, receipts: Receipt[]): Promise<void>;
}
