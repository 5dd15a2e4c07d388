import type { EntityManager } from 'typeorm';

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
