import type { OutboundMessage, RouteConnection, SendOutcome } from '../ports/message-driver.js';
import { Circuit, HALF_OPEN_MS } from './circuit.js';
import { SendGate } from './send-gate.js';

/** A send is over within 30 s, whatever happens (port). */
const SEND_MS = 28_000;
const CLOSE_MS = 10_000;
const AT_ONCE = 200;

/** What a connection over HTTP differs in. */
export interface GatedUpstream {
  /** how the upstream is called in texts: `Gateway` */
  title: string;
  /** time limit of one attempt */
  timeoutMs: number;
  /** one request; must not reject */
  attempt(message: OutboundMessage): Promise<SendOutcome>;
}

/** One upstream over HTTP: bounded concurrency, and a circuit breaker that stops sending while it answers only faults. */
export class GatedConnection implements RouteConnection {
  private readonly gate = new SendGate(AT_ONCE);
  private readonly circuit = new Circuit();
  private closing = false;

  constructor(private readonly upstream: GatedUpstream) {}

  get ready(): boolean {
    return !this.closing && !this.circuit.isOpen;
  }

  async send(message: OutboundMessage): Promise<SendOutcome> {
    const { title, timeoutMs } = this.upstream;
    const until = Math.min(message.notAfter, performance.now() + SEND_MS - timeoutMs);
    if (this.closing || !(await this.gate.enter(until))) return notNow(`${title} is not reachable`, 0, false);
    try {
      if (performance.now() >= message.notAfter) return notNow(`${title} is not reachable`, 0, false);
      const outcome = await this.circuit.run(() => this.upstream.attempt(message), isTrouble);
      return outcome ?? notNow(`${title} is not answering`, HALF_OPEN_MS, true);
    } finally {
      this.gate.leave();
    }
  }

  async close(): Promise<void> {
    this.closing = true;
    this.gate.turnAway();
    await this.gate.drained(CLOSE_MS);
  }
}

const isTrouble = (outcome: SendOutcome): boolean =>
  outcome.kind === 'unknown' || (outcome.kind === 'retry' && !outcome.throttled);

const notNow = (text: string, afterMs: number, throttled: boolean): SendOutcome => ({
  kind: 'retry',
  afterMs,
  code: null,
  text,
  throttled,
});
