import { Semaphore } from '../../../platform/concurrency/index.js';
import type { OutboundMessage, RouteConnection, SendOutcome } from '../message-driver.js';

const FAULTS_TO_OPEN = 20;
export const HALF_OPEN_MS = 2_000;

export const WELL = 0;
export const ILL = 1;
/** Weight of a failed connect: three in a row open the circuit, because nothing can arrive. */
export const UNREACHED = 7;
/** Of a message that was stopped on its way: it says nothing of the carrier. */
const NO_WORD = null;
type Weight = number | typeof NO_WORD;

/**
 * Stops calls to a failing carrier: after 20 faults in a row, or 3 failed connects, one trial every 2 s decides for all calls.
 * Hand-written, because a general breaker costs a campaign a fifth of its speed.
 */
export class Circuit {
  private faults = 0;
  private openedAt = 0;
  private trial: Promise<unknown> | null = null;

  /** True while nothing is let through. */
  get isOpen(): boolean {
    return this.isBroken() && performance.now() - this.openedAt < HALF_OPEN_MS;
  }

  /** True from the opening until a trial succeeds. */
  isBroken(): boolean {
    return this.faults >= FAULTS_TO_OPEN;
  }

  /** @param call must not reject @param weigh faults of its result; null = it says nothing @returns null when the call was not made */
  async run<Result>(call: () => Promise<Result>, weigh: (result: Result) => Weight): Promise<Result | null> {
    if (this.isBroken()) {
      if (this.isOpen) return null;
      if (!this.trial) return this.tryOnce(call, weigh);
      await this.trial;
      if (this.isBroken()) return null;
    }
    const result = await call();
    const weight = weigh(result);
    if (weight === WELL) this.faults = 0;
    else if (weight !== NO_WORD) this.add(weight);
    return result;
  }

  private add(weight: number): void {
    const wasBroken = this.isBroken();
    this.faults += weight;
    if (!wasBroken && this.isBroken()) this.openedAt = performance.now();
  }

  private async tryOnce<Result>(call: () => Promise<Result>, weigh: (result: Result) => Weight): Promise<Result> {
    const attempt = call();
    const trial = attempt.then(
      (result) => this.endTrial(weigh(result)),
      () => this.endTrial(ILL),
    );
    this.trial = trial;
    await trial;
    return attempt;
  }

  private endTrial(weight: Weight): void {
    this.trial = null;
    if (weight === WELL) this.faults = 0;
    else if (weight !== NO_WORD) this.openedAt = performance.now();
  }
}

const STREAK = 20;
const SHORTEST_MS = 100;
const LONGEST_MS = 5_000;

/** Handles throttling by a carrier: one throttled answer delays its own message, a streak pauses the connection. */
export class Throttle {
  private streak = 0;
  private pauses = 0;

  accepted(): void {
    this.streak = 0;
    this.pauses = 0;
  }

  /** @returns milliseconds to pause the connection; 0 = go on */
  throttled(paused: boolean): number {
    this.streak += 1;
    if (paused || this.streak < STREAK) return 0;
    this.streak = 0;
    return this.backoff(this.pauses++);
  }

  retryAfterMs(): number {
    return Math.round(this.backoff(this.pauses + 1));
  }

  private backoff(exponent: number): number {
    return Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(exponent, 10)) * (0.75 + Math.random() / 2);
  }
}

/** The port allows 30 s for a send. */
const SEND_MS = 28_000;
const CLOSE_MS = 10_000;
const AT_ONCE = 200;

/** The carrier-specific part of an HTTP connection. */
export interface GatedCarrier {
  title: string;
  timeoutMs: number;
  /** texts of faults may quote the carrier and do not describe the route */
  quotes?: true;
  /** one request; must not reject */
  attempt(message: OutboundMessage): Promise<SendOutcome>;
}

/** A connection over HTTP: bounded concurrency, a circuit breaker for faults, pauses for throttling. */
export class GatedConnection implements RouteConnection {
  private readonly semaphore = new Semaphore(AT_ONCE);
  private readonly circuit = new Circuit();
  private readonly throttle = new Throttle();
  private pausedUntil = 0;
  private closing = false;
  private lastFault: string | null = null;

  constructor(private readonly carrier: GatedCarrier) {}

  get ready(): boolean {
    return !this.closing && !this.circuit.isOpen;
  }

  get onTrial(): boolean {
    return this.circuit.isBroken();
  }

  get backoffMs(): number {
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
      const isStopped = ({ kind }: SendOutcome): boolean => kind === 'unsent' && (message.hasStopped?.() ?? false);
      const outcome = await this.circuit.run(
        () => this.carrier.attempt(message),
        (answer) => (isStopped(answer) ? NO_WORD : weigh(answer)),
      );
      if (outcome && isStopped(outcome)) return outcome;
      if (!outcome) return unsent(this.lastFault ?? `${title} is not answering`, HALF_OPEN_MS);
      this.adaptPause(outcome);
      this.lastFault = faultOf(outcome, title, quotes);
      return outcome;
    } finally {
      this.semaphore.release();
    }
  }

  /** @returns false when the pause outlasts the message's time, or the connection closes meanwhile */
  private async pauseOver(until: number): Promise<boolean> {
    for (let waitMs = this.pauseMs(); waitMs > 0; waitMs = this.pauseMs()) {
      if (this.pausedUntil >= until) return false;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    return !this.closing;
  }

  private pauseMs(): number {
    return this.pausedUntil === 0 ? 0 : this.pausedUntil - performance.now();
  }

  private adaptPause(outcome: SendOutcome): void {
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

function weigh(outcome: SendOutcome): number {
  if (outcome.kind === 'unsent') return UNREACHED;
  return outcome.kind === 'unknown' || (outcome.kind === 'retry' && !outcome.throttled) ? ILL : WELL;
}

function faultOf(outcome: SendOutcome, title: string, quotes: boolean): string | null {
  if (weigh(outcome) === WELL) return null;
  if (quotes && outcome.kind === 'retry') return `${title} answers with faults`;
  return 'text' in outcome ? outcome.text : `${title} does not answer as it should`;
}

const unsent = (text: string, afterMs: number): SendOutcome => ({ kind: 'unsent', afterMs, text });
