import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { SocketGuard } from '../../../../platform/outbound/index.js';
import {
  isSender,
  isTemporary,
  isThrottling,
  LONGEST_DESTINATION,
  PartsCache,
  relativeTime,
  type SmsParts,
  statusText,
} from '../../../../platform/smpp/index.js';
import type {
  CarrierDemands,
  InboundText,
  MessageDriver,
  OutboundMessage,
  Receipt,
  Route,
  RouteConnection,
  SendOutcome,
} from '../../message-driver.js';
import { neverSent, orElsewhere, receiptTimeoutMs, storedId, takenInPart } from '../carrier-answers.js';
import { demandsOf, DLT_MISSING, lacksDlt, namesDlt } from '../dlt.js';
import { Throttle } from '../gated-connection.js';
import { sessionConfig, type SmppConfig, smppConfigSchema, type SmppRouteConfig, TlvWriter } from './smpp-config.js';
import { BIND_REFUSED, SmppSession } from './smpp-session.js';
import type { SubmitResult } from './submits.js';

/** The port allows 30 s for a send. */
const SEND_MS = 28_000;
const CLOSE_MS = 10_000;
const RECONNECT_MS = 500;
const LONGEST_RECONNECT_MS = 30_000;
/** A shorter session does not prove that the carrier works. */
const STEADY_MS = 10_000;
const TEMPORARY_RETRY_MS = 1_000;
const UNTRIED = 'not connected yet';
const QUIET_MS = 60_000;

type Waiting = Extract<SendOutcome, { kind: 'retry' | 'unsent' }>;

/** Keeps one route bound: reopens sessions, gives each send exactly one outcome. */
class SmppConnection implements RouteConnection {
  private readonly logger = new Logger('Smpp');
  private readonly cache = new PartsCache();
  private readonly throttle = new Throttle();
  private readonly tlvs: TlvWriter;
  private session: SmppSession;
  private reference = randomInt(256);
  private closing = false;
  private closed: Promise<void> | null = null;
  private reconnects = 0;
  private boundAt = 0;
  private notedAt = -QUIET_MS;
  private timer: NodeJS.Timeout | null = null;
  private reason: string | null = UNTRIED;
  refusal: string | null = null;

  constructor(
    private readonly route: string,
    private readonly config: SmppConfig,
    private readonly onReceipts: (receipts: Receipt[]) => Promise<void>,
    private readonly onInbound: (texts: InboundText[]) => Promise<void>,
    private readonly onAcknowledged: (fingerprints: readonly string[]) => void,
  ) {
    this.tlvs = new TlvWriter(config);
    this.session = this.connect();
  }

  get ready(): boolean {
    return !this.closing && this.session.bound;
  }

  get backoffMs(): number {
    return this.session.pauseMs;
  }

  get isUntried(): boolean {
    return this.reason === UNTRIED;
  }

  get fault(): string | null {
    return this.reason;
  }

  send(message: OutboundMessage): Promise<SendOutcome> {
    const { to, sender } = message;
    if (to.length > LONGEST_DESTINATION) return Promise.resolve(neverSent('Number too long for the carrier'));
    if (to === '' || /[^0-9]/.test(to)) return Promise.resolve(neverSent('Number is invalid'));
    if (sender !== undefined && !isSender(sender))
      return Promise.resolve(neverSent('Sender not possible at the carrier'));
    if (lacksDlt(this.config.dlt, message)) return Promise.resolve(DLT_MISSING);
    const sms = this.cache.of(message.text);
    if (!sms) return Promise.resolve(neverSent('Message too long for the carrier'));
    if (sms.concatenated) return this.sendParts(message, sms);
    const queueUntil = this.queueUntil(performance.now());
    return new Promise((resolve) =>
      this.submit(message, sms, 0, null, queueUntil, (result) => {
        const outcome = this.outcome(result);
        resolve(outcome.kind === 'nameless' ? { kind: 'unknown' } : outcome);
      }),
    );
  }

  /** A second call waits for the same end: a bind is given back only after its session has closed. */
  close(waitMs = CLOSE_MS): Promise<void> {
    this.closing = true;
    if (this.timer) clearTimeout(this.timer);
    return (this.closed ??= this.session.close(waitMs));
  }

  private queueUntil(started: number): number {
    return started + SEND_MS - this.config.submitTimeoutMs;
  }

  private submit(
    message: OutboundMessage,
    sms: SmsParts,
    part: number,
    reference: number | null,
    queueUntil: number,
    done: (result: SubmitResult) => void,
  ): void {
    this.session.submit({
      to: message.to,
      sender: message.sender,
      urgent: message.urgent ?? false,
      leaving: message.leaving,
      body: sms.parts[part] as Buffer,
      dataCoding: sms.dataCoding,
      reference,
      validity: message.validitySeconds === undefined ? undefined : relativeTime(message.validitySeconds),
      tlvs: this.tlvs.of(message),
      notAfter: message.notAfter,
      queueUntil,
      writtenAt: 0,
      sequence: 0,
      done,
    });
  }

  private outcome(result: SubmitResult): PartOutcome {
    if (result.kind === 'unknown') return result;
    if (result.kind === 'unsent') return { kind: 'unsent', afterMs: 0, text: 'Carrier is not reachable' };
    const { status, messageId } = result;
    if (status === 0) {
      this.throttle.accepted();
      return messageId.trim() === ''
        ? { kind: 'nameless' }
        : { kind: 'accepted', providerMessageIds: [storedId(messageId, this.config.receiptTerms)] };
    }
    const text = statusText(status);
    if (isThrottling(status)) {
      const pause = this.throttle.throttled(this.session.pauseMs > 0);
      if (pause > 0) this.session.pause(pause);
      return { kind: 'retry', afterMs: this.throttle.retryAfterMs(), code: status, text, throttled: true };
    }
    if (isTemporary(status))
      return this.orElsewhere({ kind: 'retry', afterMs: TEMPORARY_RETRY_MS, code: status, text, throttled: false });
    return this.orElsewhere({ kind: 'rejected', code: status, text, submitted: true });
  }

  private orElsewhere(outcome: Extract<SendOutcome, { kind: 'retry' | 'rejected' }>): SendOutcome {
    return orElsewhere(outcome, this.config.failoverCodes, [outcome.code]);
  }

  /**
   * Sends all parts at once. Until one is taken, the whole message may be retried; afterwards only the missing parts are
   * retried,
   * because a second copy of the whole would reach handsets that have the first.
   */
  private async sendParts(whole: OutboundMessage, sms: SmsParts): Promise<SendOutcome> {
    const message = { ...whole, leaving: whole.leaving && once(whole.leaving) };
    const started = performance.now();
    const queueUntil = this.queueUntil(started);
    this.reference = (this.reference + 1) % 256;
    const { reference } = this;
    const outcomes = new Array<PartOutcome | null>(sms.parts.length).fill(null);
    for (;;) {
      await Promise.all(
        outcomes.map(async (known, part) => {
          if (known?.kind === 'accepted' || known?.kind === 'nameless') return;
          outcomes[part] = await new Promise<PartOutcome>((resolve) =>
            this.submit(message, sms, part, reference, queueUntil, (result) => resolve(this.outcome(result))),
          );
        }),
      );
      const combined = combine(outcomes as PartOutcome[]);
      if (combined.kind !== 'parts missing') return combined;
      const { waiting, taken } = combined;
      const wait = Math.max(waiting.afterMs, RECONNECT_MS / 2);
      const next = performance.now() + wait;
      if (next >= queueUntil || next >= message.notAfter || this.closing) {
        const text = `Only ${taken} of ${outcomes.length} parts were taken: ${waiting.text}`;
        return { kind: 'rejected', code: waiting.kind === 'retry' ? waiting.code : null, text, submitted: true, taken };
      }
      await sleep(wait);
    }
  }

  private connect(): SmppSession {
    return new SmppSession(this.config, {
      bound: () => {
        this.boundAt = performance.now();
        this.reason = null;
        this.refusal = null;
        this.logger.log({ route: this.route }, 'SMPP session bound');
      },
      closed: (reason) => this.lost(reason),
      receipts: this.onReceipts,
      inbound: (text) => this.onInbound([text]),
      acknowledged: this.onAcknowledged,
      unread: (word) => this.noteUnread(word),
    });
  }

  private noteUnread(word: string | null): void {
    const at = performance.now();
    if (at - this.notedAt < QUIET_MS) return;
    this.notedAt = at;
    this.logger.warn({ route: this.route, status: word }, 'a receipt counts for nothing: status_map lacks its word');
  }

  private lost(reason: string): void {
    if (this.closing) return;
    this.reason = `Carrier is not reachable: ${reason}`;
    this.refusal = reason.startsWith(BIND_REFUSED) ? reason.slice(BIND_REFUSED.length) : null;
    const steady = this.boundAt > 0 && performance.now() - this.boundAt > STEADY_MS;
    this.boundAt = 0;
    this.reconnects = steady ? 0 : this.reconnects + 1;
    const backoff = Math.min(LONGEST_RECONNECT_MS, RECONNECT_MS * 2 ** Math.min(Math.max(this.reconnects - 1, 0), 10));
    const delay = Math.round(backoff * (0.6 + Math.random() * 0.4));
    this.logger.warn({ route: this.route, reason, reconnectInMs: delay }, 'SMPP session lost');
    this.timer = setTimeout(() => (this.session = this.connect()), delay);
  }
}

/** The first part to leave counts for the message. */
function once(call: (others?: number) => void): (others?: number) => void {
  let isCalled = false;
  return (others) => {
    if (isCalled) return;
    call(others);
    isCalled = true;
  };
}

/** The carrier took a part without giving an id: its receipts match by number only. */
type PartOutcome = SendOutcome | { kind: 'nameless' };

const mayBeTaken = ({ kind }: PartOutcome): boolean => kind === 'accepted' || kind === 'nameless' || kind === 'unknown';

function combine(
  outcomes: readonly PartOutcome[],
): SendOutcome | { kind: 'parts missing'; waiting: Waiting; taken: number } {
  const ids: string[] = [];
  let taken = 0;
  let waiting: Waiting | null = null;
  let unknown = false;
  let nameless = false;
  for (const outcome of outcomes) {
    if (outcome.kind === 'rejected') {
      const left = outcomes.filter(mayBeTaken).length;
      return left > 0 ? takenInPart(outcome, left) : outcome;
    }
    if (outcome.kind === 'unknown') unknown = true;
    else if (outcome.kind === 'nameless') {
      nameless = true;
      taken += 1;
    } else if (outcome.kind !== 'accepted') waiting = !waiting || outcome.afterMs > waiting.afterMs ? outcome : waiting;
    else {
      taken += 1;
      ids.push(...outcome.providerMessageIds);
    }
  }
  if (unknown) return { kind: 'unknown' };
  if (!waiting) return nameless ? { kind: 'unknown' } : { kind: 'accepted', providerMessageIds: [...new Set(ids)] };
  return taken === 0 ? waiting : { kind: 'parts missing', waiting, taken };
}

/** SMPP 3.4 as a transceiver (reference/providers#smpp). Carriers do not deduplicate. */
export class SmppDriver implements MessageDriver<SmppRouteConfig> {
  readonly name = 'smpp';
  readonly channels = ['sms'] as const;
  readonly bringsTexts = true;
  readonly bindsSessions = true;
  readonly configSchema = smppConfigSchema;
  readonly secretFields = ['password'];
  /** without TLS, or with an unchecked certificate, anyone in between gets the password */
  readonly addressFields = ['host', 'port', 'system_id', 'tls', 'tls_verify'];

  /** @param guard for routes whose config staff without super wrote; null = such routes are not opened */
  constructor(private readonly guard: SocketGuard | null = null) {}

  demandsOf({ dlt }: Pick<SmppRouteConfig, 'dlt'>): CarrierDemands {
    return demandsOf(dlt);
  }

  sendsDlt({ dlt, tlvs = [] }: Partial<Pick<SmppRouteConfig, 'dlt' | 'tlvs'>>): boolean {
    return dlt !== undefined || namesDlt(tlvs.map(({ value }) => value));
  }

  deduplicates(): boolean {
    return false;
  }

  receiptTimeoutMs(config: SmppRouteConfig): number | null {
    return receiptTimeoutMs(config);
  }

  loginOf({ host, system_id: systemId }: Pick<SmppRouteConfig, 'host' | 'system_id'>): string {
    return JSON.stringify([this.name, host.toLowerCase(), systemId]);
  }

  open(
    route: Route<SmppRouteConfig>,
    onReceipts: (receipts: Receipt[]) => Promise<void>,
    onInbound: (texts: InboundText[]) => Promise<void>,
    onAcknowledged: (fingerprints: readonly string[]) => void = () => undefined,
  ): RouteConnection {
    if (route.guarded && !this.guard) throw new Error('A guarded route needs the guard of addresses');
    const guard = route.guarded ? this.guard : null;
    return new SmppConnection(route.name, sessionConfig(route.config, guard), onReceipts, onInbound, onAcknowledged);
  }
}
