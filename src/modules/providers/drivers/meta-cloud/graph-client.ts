import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../../platform/concurrency/index.js';
import { OutboundClient, OutboundError } from '../../../../platform/outbound/index.js';
import { chatAccountErrors } from '../../chat-account.js';
import { Circuit, ILL, UNREACHED, WELL } from '../gated-connection.js';
import { neverSent } from '../carrier-answers.js';
import type { SendOutcome } from '../../message-driver.js';
import { providerSilent, providerUnreached } from './answers.js';
import { baseUrlOf, type GraphAccount, phoneNumberIdOf } from './config.js';
import { exchangeWith, type GraphCall, type GraphExchange } from './graph-exchange.js';
import { type GraphMessage, inOurWords, messageCall, outcomeOf } from './messages.js';

/** A JSON answer of the provider that is its own word: 2xx, or a refusal (4xx). */
export interface GraphAnswer {
  status: number;
  body: Record<string, unknown>;
}

const MOST_CIRCUITS = 10_000;

/**
 * Calls to a chat account's provider, one at a time and answered at once (session sends, templates, business profile);
 * campaigns go through the driver. Connections are kept alive; each account has a circuit breaker of its own.
 */
@Injectable()
export class MetaCloudClient {
  private readonly circuits = boundedCache<number, Circuit>(MOST_CIRCUITS);

  constructor(private readonly outbound: OutboundClient) {}

  /** The last numeric segment of the account's URL (reference/providers#phone-number-id); null when there is none. */
  phoneNumberId(account: Pick<GraphAccount, 'url'>): string | null {
    return phoneNumberIdOf(account);
  }

  /** Scheme, host and version prefix of the account's URL; null when it has no phone-number id, or is no URL. */
  baseUrl(account: Pick<GraphAccount, 'url'>): string | null {
    return baseUrlOf(account);
  }

  /**
   * @returns the provider's own answer, `messaging_product` in our words
   * @throws AppError 502 `Provider did not answer` (silence, 5xx, a redirect, no JSON, over 1 MB:
   * reference/session-messages#errors); 500 `Unable to resolve provider endpoint`
   */
  async request(account: GraphAccount, call: GraphCall): Promise<GraphAnswer> {
    if (baseUrlOf(account) === null) throw chatAccountErrors.noEndpoint();
    const exchange = await this.exchange(account, call);
    if (exchange === null || (exchange.kind === 'fault' && !exchange.error.sent)) throw providerUnreached();
    if (exchange.kind !== 'answer' || exchange.status >= 500) throw providerSilent();
    return { status: exchange.status, body: inOurWords(exchange.body) };
  }

  /** Sends one message; see `request` for the faults. */
  async send(account: GraphAccount, message: GraphMessage, timeoutMs?: number): Promise<GraphAnswer> {
    const phoneNumberId = phoneNumberIdOf(account);
    if (phoneNumberId === null) throw chatAccountErrors.noEndpoint();
    return this.request(account, {
      ...messageCall(phoneNumberId, message),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /**
   * Sends one message without a waiting caller; never throws.
   * @returns what became of it, as the driver of campaigns says it
   */
  async attempt(account: GraphAccount, message: GraphMessage): Promise<SendOutcome> {
    const phoneNumberId = phoneNumberIdOf(account);
    if (phoneNumberId === null) return neverSent(chatAccountErrors.noEndpoint().message);
    return outcomeOf((await this.exchange(account, messageCall(phoneNumberId, message))) ?? NOT_CALLED);
  }

  /** @returns null when the open circuit let nothing through */
  private exchange(account: GraphAccount, call: GraphCall): Promise<GraphExchange | null> {
    return this.circuitOf(account).run(() => exchangeWith(this.outbound, account, call), weigh);
  }

  private circuitOf({ id }: GraphAccount): Circuit {
    const known = this.circuits.get(id);
    if (known) return known;
    const circuit = new Circuit();
    this.circuits.set(id, circuit);
    return circuit;
  }
}

/** A call that the open circuit held back. */
const NOT_CALLED: GraphExchange = { kind: 'fault', error: new OutboundError('unreachable', false) };

function weigh(exchange: GraphExchange): number {
  if (exchange.kind === 'fault') return exchange.error.sent ? ILL : UNREACHED;
  return exchange.status >= 500 ? ILL : WELL;
}
