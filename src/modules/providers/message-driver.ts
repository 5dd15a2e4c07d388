import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

/** An inbound message, as plain text. */
export interface InboundText {
  /** who wrote: digits with country code, or a user id */
  from: string;
  text: string;
  /** another address of the sender, which was not used: START lifts what stands there, STOP does not count for it */
  isAlias?: boolean;
}

/** Where texts from handsets go. The suppressions module implements it. */
export abstract class InboundSink {
  /** Texts over an operator's route, which many accounts share. Resolves after its commit; only then are they acknowledged. */
  abstract accept(routeId: number, texts: readonly InboundText[]): Promise<void>;

  /** Texts to a chat account, which belongs to one account; in the transaction that stores them, each once. */
  abstract take(
    tx: EntityManager,
    chat: { routeId: number; accountId: number },
    texts: readonly InboundText[],
  ): Promise<void>;

  /** Whose numbers some user ids of a chat account are has become known: what was said under the one counts for the other. */
  abstract identify(
    tx: EntityManager,
    chat: { routeId: number; accountId: number },
    contacts: readonly { userId: string; number: string }[],
  ): Promise<void>;
}

/**
 * What the routes that operators set up carry: the kinds of message that drivers know. Drivers know no channels; a channel
 * says which kind of route takes its messages, and several may share one.
 */
export const OPERATOR_ROUTE_KINDS = ['sms', 'unofficial', 'voice'] as const;
export type OperatorRouteKind = (typeof OPERATOR_ROUTE_KINDS)[number];

/** What a connection carries: an operator's route, or (`chat`) the chat account of one customer. */
export type RouteKind = OperatorRouteKind | 'chat';

/** A route as drivers see it: the secrets are open. */
export interface Route<Config = unknown> {
  id: number;
  name: string;
  channel: RouteKind;
  driver: string;
  config: Config;
  /** speed shared by all workers, enforced by the engine; null = no limit of ours */
  messagesPerSecond: number | null;
  /** last segment of the callback path `/provider/{channel}/{route}/{secret}` */
  callbackSecret: string;
  /** true: staff without super wrote the config, so only public addresses and `ROUTE_NETWORKS` are reached */
  guarded?: boolean;
}

/** What operators of some countries (India's DLT) want to be told with a message, in their registries' ids. */
export interface DltIds {
  /** who sends */
  entityId?: string;
  /** what kind of text it is */
  templateId?: string;
}

/** What a message must have, so that the upstream of a route takes it. */
export interface CarrierDemands {
  dltTemplateId: boolean;
  dltEntityId: boolean;
}

/** One message to one recipient. */
export interface OutboundMessage {
  /** deterministic client reference, the same for every attempt: `<campaign id>-<seq>` */
  ref: string;
  /** recipient, digits with country code */
  to: string;
  text: string;
  /** attachment that the upstream fetches itself */
  mediaUrl?: string;
  /** further attachments, each sent as an item of its own after the first, in order; each brings an id of its own */
  attachments?: readonly string[];
  /** request of an upstream that has shapes of its own (Meta Cloud API), without recipient and reference */
  payload?: Readonly<Record<string, unknown>>;
  /**
   * who it comes from, in place of the route's own: an alphanumeric name or digits; upstreams that know no such thing
   * leave it out
   */
  sender?: string | undefined;
  dlt?: DltIds;
  /** whole seconds, at least 1, for which the upstream may still try to deliver; absent = as long as it does by itself */
  validitySeconds?: number;
  /** a message of its own, which goes in front of those of campaigns that wait for their turn in the connection */
  urgent?: boolean | undefined;
  /**
   * Called at most once, right before the first byte of it may reach the socket, when nothing can hold it back any more:
   * until then it has certainly not left. What it throws keeps the message from leaving.
   * @param others how many that are told right after this one go into the same write; absent = it goes alone
   */
  leaving?: ((others?: number) => void) | undefined;
  /**
   * Moment on the clock of `performance.now()` (milliseconds) after which the message must not be put on the wire,
   * because the lease of the lane has passed to another worker. A driver then answers `unsent`.
   */
  notAfter: number;
  /** Whether nothing leaves over its route any more: where a connection has made it wait, it then ends `unsent`, without a fault. */
  hasStopped?: () => boolean;
}

/**
 * What became of one send (reference/providers#never-left-may-have-left-left: never left, may have left, left). `elsewhere`:
 * the answer says that nothing of it was taken, and the route's `failover_codes` say that another route may carry it.
 */
export type SendOutcome =
  /**
   * The upstream has it: one id a part (long messages have several), in order; at least one. An answer that takes a message and
   * brings no id for a part of it is `unknown`: receipts are then matched by the number.
   */
  | { kind: 'accepted'; providerMessageIds: string[] }
  /**
   * Never again. `submitted: false` = it never left us (number too long …), so it is refunded. `taken`: parts of it that the
   * upstream has all the same, or may have, and asks money for; absent = none.
   */
  | { kind: 'rejected'; code: number | null; text: string; submitted: boolean; taken?: number; elsewhere?: true }
  /** The upstream did not take it; try later. `throttled` = it is busy, which does not count as an attempt. */
  | { kind: 'retry'; afterMs: number; code: number | null; text: string; throttled: boolean; elsewhere?: true }
  /** It never left: it waits for the route, however long that takes, and no attempt is counted. */
  | { kind: 'unsent'; afterMs: number; text: string }
  /** It may or may not have left: never blindly resent. */
  | { kind: 'unknown' };

/** A delivery receipt in our words. */
export interface Receipt {
  providerMessageId: string;
  status: 'submitted' | 'delivered' | 'read' | 'failed' | 'answered' | 'no_answer' | 'busy';
  errorCode: number | null;
  errorText: string | null;
  /** recipient's number as the receipt names it: settles a recipient of unknown outcome */
  receiver: string | null;
  /** the other number that it names: some carriers do not turn sender and recipient round */
  otherAddress?: string;
  /** calls only: whole seconds from the answer to the end; absent or 0 when the call was not answered */
  durationSeconds?: number;
  /** our reference, where the upstream gives it back with its receipts */
  ref?: string;
}

/** An open connection to one upstream. */
export interface RouteConnection {
  /** false while the upstream cannot be reached: the engine then sends nothing and looks again soon */
  readonly ready: boolean;
  /** true while one message is to show whether an upstream in trouble is well again: the others wait */
  readonly onTrial?: boolean;
  /** milliseconds for which the upstream wants to be left alone, because it says nothing but "too fast"; absent or 0 = none */
  readonly restMs?: number;
  /** true until the first attempt to reach the upstream has come to an end: nothing is known of it yet; absent = known */
  readonly isUntried?: boolean;
  /** why the upstream cannot be used, in words for staff; null while all is well */
  readonly fault: string | null;
  /** what the upstream said when it last took no session of ours, in words; absent or null = it did not refuse one */
  readonly refusal?: string | null;
  /** Never rejects; every fault is an outcome. Resolves within 30 s. */
  send(message: OutboundMessage): Promise<SendOutcome>;
  /** Stops taking messages, waits for the answers under way (10 s at most), closes. @param waitMs in place of the 10 s */
  close(waitMs?: number): Promise<void>;
}

/** A callback of an upstream, as HTTP brought it. */
export interface ProviderCallback {
  method: string;
  query: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

/** A kind of upstream. One folder in `drivers/` each; knows no campaign, no account and no database. */
export interface MessageDriver<Config = unknown> {
  /** the name in `PUT /v6/api/admin/routes/:name` */
  readonly name: string;
  readonly channels: readonly RouteKind[];
  /** true when the upstream drops a second message with the same `ref`: only then is an ambiguous send repeated */
  deduplicates(config: Config): boolean;
  /** true where handsets may answer over a route that accounts share: the answers go to `InboundSink.accept` */
  readonly bringsTexts: boolean;
  /** true where the upstream counts the sessions of a login: a route may say how many all workers have together */
  readonly bindsSessions?: true;
  /** absent = takes every message */
  demandsOf?(config: Config): CarrierDemands;
  /** whether the ids of India's DLT that a message has go to the upstream; absent = they do not */
  sendsDlt?(config: Config): boolean;
  /** Names what sends and receipts of a route share with other routes: the upstream's host and the login there. */
  loginOf?(config: Config): string;
  /** validates `config` of a route; also says which fields are secret (read back as `***`) */
  readonly configSchema: z.ZodType<Config>;
  readonly secretFields: readonly string[];
  /**
   * fields that say where the secrets go; with another address they must be given again (reference/providers#secrets)
   */
  readonly addressFields: readonly string[];
  /** true: ids and texts of its outcomes come from where the config points in the upstream's answer */
  readonly quotesAnswers?: true;
  /**
   * @param onReceipts resolves when the receipts are committed; only then are they acknowledged to the carrier
   * @param onInbound the same for texts from handsets, of carriers that bring them over the connection
   */
  open(
    route: Route<Config>,
    onReceipts: (receipts: Receipt[]) => Promise<void>,
    onInbound: (texts: InboundText[]) => Promise<void>,
  ): RouteConnection;
  /** receipts in an HTTP callback; absent for upstreams that have none */
  parseCallback?(route: Route<Config>, callback: ProviderCallback): Receipt[];
  /** texts from handsets in the same callback; absent for upstreams that bring none by HTTP */
  parseInbound?(route: Route<Config>, callback: ProviderCallback): InboundText[];
}

/** Where receipts go. The campaign engine implements it; resolves after its commit. */
export abstract class ReceiptSink {
  abstract accept(routeId: number, receipts: Receipt[]): Promise<void>;
}
