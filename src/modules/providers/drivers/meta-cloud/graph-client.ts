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

export interface GraphAnswer {
  status: number;
  body: Record<string, unknown>;
}

const MOST_CIRCUITS = 10_000;

/** Single calls to a chat account's provider (campaigns use the driver), with one circuit breaker per account. */
@Injectable()
export class MetaCloudClient {
  private readonly circuits = boundedCache<number, Circuit>(MOST_CIRCUITS);

  constructor(private readonly outbound: OutboundClient) {}

  phoneNumberId(account: Pick<GraphAccount, 'url'>): string | null {
    return phoneNumberIdOf(account);
  }

  baseUrl(account: Pick<GraphAccount, 'url'>): string | null {
    return baseUrlOf(account);
  }

  /** @throws AppError 502 `Provider did not answer` (reference/session-messages#errors), 500 for an invalid account URL */
  async request(account: GraphAccount, call: GraphCall): Promise<GraphAnswer> {
    if (baseUrlOf(account) === null) throw chatAccountErrors.noEndpoint();
    const exchange = await this.exchange(account, call);
    if (exchange === null || (exchange.kind === 'fault' && !exchange.error.sent)) throw providerUnreached();
    if (exchange.kind !== 'answer' || exchange.status >= 500) throw providerSilent();
    return { status: exchange.status, body: inOurWords(exchange.body) };
  }

  async send(account: GraphAccount, message: GraphMessage, timeoutMs?: number): Promise<GraphAnswer> {
    const phoneNumberId = phoneNumberIdOf(account);
    if (phoneNumberId === null) throw chatAccountErrors.noEndpoint();
    return this.request(account, {
      ...messageCall(phoneNumberId, message),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /** Sends one message without a waiting caller; never throws. */
  async attempt(account: GraphAccount, message: GraphMessage): Promise<SendOutcome> {
    const phoneNumberId = phoneNumberIdOf(account);
    if (phoneNumberId === null) return neverSent(chatAccountErrors.noEndpoint().message);
    return outcomeOf((await this.exchange(account, messageCall(phoneNumberId, message))) ?? NOT_CALLED);
  }

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

const NOT_CALLED: GraphExchange = { kind: 'fault', error: new OutboundError('unreachable', false) };

function weigh(exchange: GraphExchange): number {
  if (exchange.kind === 'fault') return exchange.error.sent ? ILL : UNREACHED;
  return exchange.status >= 500 ? ILL : WELL;
}
