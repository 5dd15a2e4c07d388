import { Semaphore } from '../../../platform/concurrency/index.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../message-driver.js';

/** Faults in a row that open a circuit. */
const FAULTS_TO_OPEN = 20;
/** How long an open circuit lets nothing through. */
export const HALF_OPEN_MS = 2_000;

/** What a result says of the upstream, in faults: nothing bad; it answered badly or not at all; it could not be reached. */
export const WELL = 0;
export const ILL = 1;
/** Three in a row are enough: nothing that is sent there can arrive. */
export const UNREACHED = 7;

/**
 * Stops calls to an upstream that answers nothing but faults: after 20 in a row, or 3 in vain attempts to reach it, one try
 * every 2 s, whose result decides for all that came meanwhile. By hand, because a general breaker costs a campaign a fifth of
 * its speed.
 */
export class Circuit {
  /** in a row */
  private faults = 0;
  /** clock of `performance.now()` */
  private openedAt = 0;
  /** the one try of a broken circuit */
  private trial: Promise<unknown> | null = null;

  /** True while nothing would be let through. */
  get isOpen(): boolean {
    return this.isBroken() && performance.now() - this.openedAt < HALF_OPEN_MS;
  }

  /** True from the opening until a try has shown that the upstream is well. */
  isBroken(): boolean {
    return this.faults >= FAULTS_TO_OPEN;
  }

  /**
   * @param call must not reject @param weigh its result in faults: `WELL`, `ILL` or `UNREACHED`
   * @returns the result, or null when the call was not made
   */
  async run<Result>(call: () => Promise<Result>, weigh: (result: Result) => number): Promise<Result | null> {
    if (this.isBroken()) {
      if (this.isOpen) return null;
      if (!this.trial) return this.tryOnce(call, weigh);
      await this.trial;
      if (this.isBroken()) return null;
    }
    const result = await call();
    const weight = weigh(result);
    if (weight === WELL) this.faults = 0;
    else this.add(weight);
    return result;
  }

  private add(weight: number): void {
    const wasBroken = this.isBroken();
    this.faults += weight;
    if (!wasBroken && this.isBroken()) this.openedAt = performance.now();
  }

  private async tryOnce<Result>(call: () => Promise<Result>, weigh: (result: Result) => number): Promise<Result> {
    const attempt = call();
    const trial = attempt.then(
      (result) => this.judge(weigh(result)),
      () => this.judge(ILL),
    );
    this.trial = trial;
    await trial;
    return attempt;
  }

  private judge(weight: number): void {
    this.trial = null;
    if (weight === WELL) this.faults = 0;
    else this.openedAt = performance.now();
  }
}

const STREAK = 20;
const SHORTEST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * Judges an upstream's "throttled" answers of one connection: a single one only puts its own message off; a streak
 * without any success between puts everything off for a while, longer each time.
 */
export class Throttle {
  private streak = 0;
  private pauses = 0;

  /** The upstream took a message. */
  accepted(): void {
    this.streak = 0;
    this.pauses = 0;
  }

  /** The upstream refused one for its speed. @returns milliseconds for which nothing should leave, 0 = go on */
  throttled(paused: boolean): number {
    this.streak += 1;
    if (paused || this.streak < STREAK) return 0;
    this.streak = 0;
    return this.backoff(this.pauses++);
  }

  /** When the refused message may come again, milliseconds. */
  retryAfterMs(): number {
    return Math.round(this.backoff(this.pauses + 1));
  }

  private backoff(exponent: number): number {
    return Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(exponent, 10)) * (0.75 + Math.random() / 2);
  }
}

/** A send is over within 30 s, whatever happens (port). */
const SEND_MS = 28_000;
const CLOSE_MS = 10_000;
const AT_ONCE = 200;

/** What a connection over HTTP differs in. */
export interface GatedCarrier {
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

  constructor(private readonly carrier: GatedCarrier) {}

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
    const { title, timeoutMs, quotes = false } = this.carrier;
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
      const outcome = await this.circuit.run(() => this.carrier.attempt(message), weigh);
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
