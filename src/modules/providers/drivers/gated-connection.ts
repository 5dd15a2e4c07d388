import { Semaphore } from '../../../platform/concurrency/index.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../ports/message-driver.js';
import { Circuit, HALF_OPEN_MS, ILL, UNREACHED, WELL } from './circuit.js';
import { Throttle } from './throttle.js';

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
  /** texts of faults may quote the upstream, where its owner's config says so: they do not describe the route */
  quotes?: true;
  /** one request; must not reject */
  attempt(message: OutboundMessage): Promise<SendOutcome>;
}

/**
 * One upstream over HTTP: bounded concurrency, a circuit breaker that stops sending while it answers only faults, and a
 * pause while it answers nothing but "too fast".
 */
export class GatedConnection implements RouteConnection {
  private readonly semaphore = new Semaphore(AT_ONCE);
  private readonly circuit = new Circuit();
  private readonly throttle = new Throttle();
  /** clock of `performance.now()`: nothing leaves before */
  private pausedUntil = 0;
  private closing = false;
  /** the upstream's last fault */
  private lastFault: string | null = null;

  constructor(private readonly upstream: GatedUpstream) {}

  get ready(): boolean {
    return !this.closing && !this.circuit.isOpen;
  }

  get onTrial(): boolean {
    return this.circuit.isBroken();
  }

  get restMs(): number {
    return Math.max(0, this.pauseMs());
  }

  get fault(): string | null {
    return this.circuit.isBroken() ? this.lastFault : null;
  }

  async send(message: OutboundMessage): Promise<SendOutcome> {
    const { title, timeoutMs, quotes = false } = this.upstream;
    const until = Math.min(message.notAfter, performance.now() + SEND_MS - timeoutMs);
    if (this.closing || !(await this.semaphore.acquire(until, message.urgent)))
      return unsent(`${title} is not reachable`, 0);
    try {
      if (this.pauseMs() > 0 && !(await this.pauseOver(until))) {
        return {
          kind: 'retry',
          afterMs: Math.max(0, Math.ceil(this.pauseMs())),
          code: null,
          text: `${title} is busy`,
          throttled: true,
        };
      }
      if (performance.now() >= message.notAfter || message.hasStopped?.()) {
        return unsent(`${title} is not reachable`, 0);
      }
      const outcome = await this.circuit.run(() => this.upstream.attempt(message), weigh);
      if (!outcome) return unsent(this.lastFault ?? `${title} is not answering`, HALF_OPEN_MS);
      this.judgeSpeed(outcome);
      this.lastFault = faultOf(outcome, title, quotes);
      return outcome;
    } finally {
      this.semaphore.release();
    }
  }

  /** @returns false when the pause outlasts the message's time, or the connection closes meanwhile */
  private async pauseOver(until: number): Promise<boolean> {
    for (let rest = this.pauseMs(); rest > 0; rest = this.pauseMs()) {
      if (this.pausedUntil >= until) return false;
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
    return !this.closing;
  }

  private pauseMs(): number {
    return this.pausedUntil === 0 ? 0 : this.pausedUntil - performance.now();
  }

  /** A single "too fast" puts its own message off; a streak of them everything (see `Throttle`). */
  private judgeSpeed(outcome: SendOutcome): void {
    if (outcome.kind === 'accepted' || outcome.kind === 'rejected') this.throttle.accepted();
    else if (outcome.kind === 'retry' && outcome.throttled) {
      const pause = this.throttle.throttled(this.pauseMs() > 0);
      if (pause > 0) this.pausedUntil = performance.now() + pause;
    }
  }

  async close(): Promise<void> {
    this.closing = true;
    this.semaphore.refuseWaiting();
    await this.semaphore.drained(CLOSE_MS);
  }
}

/** What an outcome says of the upstream, for its circuit. */
function weigh(outcome: SendOutcome): number {
  if (outcome.kind === 'unsent') return UNREACHED;
  return outcome.kind === 'unknown' || (outcome.kind === 'retry' && !outcome.throttled) ? ILL : WELL;
}

/** The same in words; null when all is well. */
function faultOf(outcome: SendOutcome, title: string, quotes: boolean): string | null {
  if (weigh(outcome) === WELL) return null;
  if (quotes && outcome.kind === 'retry') return `${title} answers with faults`;
  return 'text' in outcome ? outcome.text : `${title} does not answer as it should`;
}

const unsent = (text: string, afterMs: number): SendOutcome => ({ kind: 'unsent', afterMs, text });
