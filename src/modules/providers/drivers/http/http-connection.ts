import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleType,
  isBrokenCircuitError,
} from 'cockatiel';
import type { OutboundClient } from '../../../../platform/outbound/index.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../../ports/message-driver.js';
import type { HttpRouteConfig } from './http-config.js';
import { outcomeOf, outcomeOfFault } from './http-outcome.js';
import { buildRequest } from './http-request.js';
import { SendGate } from './send-gate.js';

/** A send is over within 30 s, whatever happens (port). */
const SEND_MS = 28_000;
const CLOSE_MS = 10_000;
const AT_ONCE = 200;
const FAULTS_TO_OPEN = 20;
const HALF_OPEN_MS = 2_000;
const MOST_ANSWER_BYTES = 256 * 1024;

/** Carries an outcome that speaks of a gateway in trouble through the circuit breaker. */
class Trouble extends Error {
  constructor(readonly outcome: SendOutcome) {
    super('gateway in trouble');
  }
}

const notNow = (text: string, afterMs: number, throttled: boolean): SendOutcome => ({
  kind: 'retry',
  afterMs,
  code: null,
  text,
  throttled,
});

/** One gateway: bounded concurrency, and a circuit breaker that stops sending while it answers nothing but faults. */
export class HttpConnection implements RouteConnection {
  private readonly gate = new SendGate(AT_ONCE);
  private readonly breaker: CircuitBreakerPolicy;
  private openedAt = 0;
  private closing = false;

  constructor(
    private readonly config: HttpRouteConfig,
    private readonly outbound: OutboundClient,
  ) {
    this.breaker = circuitBreaker(handleType(Trouble), {
      halfOpenAfter: HALF_OPEN_MS,
      breaker: new ConsecutiveBreaker(FAULTS_TO_OPEN),
    });
    this.breaker.onBreak(() => (this.openedAt = performance.now()));
  }

  get ready(): boolean {
    const broken = this.breaker.state === CircuitState.Open && performance.now() - this.openedAt < HALF_OPEN_MS;
    return !this.closing && !broken;
  }

  async send(message: OutboundMessage): Promise<SendOutcome> {
    const until = Math.min(message.notAfter, performance.now() + SEND_MS - this.config.timeout_ms);
    if (this.closing || !(await this.gate.enter(until))) return notNow('Gateway is not reachable', 0, false);
    try {
      return await this.breaker.execute(() => this.attempt(message));
    } catch (error) {
      if (error instanceof Trouble) return error.outcome;
      if (isBrokenCircuitError(error)) return notNow('Gateway is not answering', HALF_OPEN_MS, true);
      throw error;
    } finally {
      this.gate.leave();
    }
  }

  async close(): Promise<void> {
    this.closing = true;
    this.gate.turnAway();
    await this.gate.drained(CLOSE_MS);
  }

  private async attempt(message: OutboundMessage): Promise<SendOutcome> {
    if (performance.now() >= message.notAfter) return notNow('Gateway is not reachable', 0, false);
    const { url, method, headers, body } = buildRequest(this.config, message);
    let outcome: SendOutcome;
    try {
      const response = await this.outbound.request({
        url,
        method,
        headers,
        ...(body !== null && { body }),
        timeoutMs: this.config.timeout_ms,
        maxBytes: MOST_ANSWER_BYTES,
        trusted: true,
      });
      outcome = outcomeOf(this.config, response, message.ref);
    } catch (error) {
      outcome = outcomeOfFault(this.config, error);
    }
    if (outcome.kind === 'unknown' || (outcome.kind === 'retry' && !outcome.throttled)) throw new Trouble(outcome);
    return outcome;
  }
}
