import type { OutboundMessage, RouteConnection, SendOutcome } from '../message-driver.js';
import type { BindKey, BindReport } from './route-binds.store.js';

/** First backoff after a refused bind; doubles with each further refusal. */
const REFUSED_MS = 1_000;
const LONGEST_REFUSED_MS = 30_000;

/** A bind slot held by this worker, and its session. */
export class HeldBindSlot implements BindKey {
  readonly routeId: number;
  readonly place: number;
  readonly fence: number;
  session: RouteConnection | null = null;
  former = Promise.resolve();
  refusals: number;
  fault: string | null = null;
  /** the slot is being given back, or its session is closing: nothing more is sent over it */
  isLeaving = false;
  /** clock of `performance.now()`: no session is tried before */
  backoffUntil = 0;
  downSince = performance.now();
  private said = '';

  /** @param until clock of `performance.now()`: nothing is sent over it later unless the lease is renewed */
  constructor(
    { routeId, place, fence, refusals = 0 }: BindKey & { refusals?: number },
    public until: number,
  ) {
    this.routeId = routeId;
    this.place = place;
    this.fence = fence;
    this.refusals = refusals;
  }

  get ready(): boolean {
    return !this.isLeaving && this.session !== null && this.session.ready && performance.now() < this.until;
  }

  get report(): BindReport {
    const { routeId, place, fence, refusals, fault } = this;
    return { routeId, place, fence, refusals, fault, bound: this.session?.ready ?? false };
  }

  /** Follows its session. @returns true when its state must be reported */
  update(at: number): boolean {
    const { session } = this;
    if (session?.ready) {
      this.refusals = 0;
      this.fault = null;
      this.downSince = at;
    } else if (session?.refusal) this.refused(session, session.refusal, at);
    else if (session) this.fault = session.isUntried ? this.fault : session.fault;
    const text = JSON.stringify([this.report.bound, this.fault]);
    const isNew = this.said !== text;
    this.said = text;
    return isNew;
  }

  private refused(session: RouteConnection, text: string, at: number): void {
    this.session = null;
    void session.close(0);
    this.refusals += 1;
    this.fault = `The carrier refuses the bind: ${text}`;
    const backoff = Math.min(LONGEST_REFUSED_MS, REFUSED_MS * 2 ** Math.min(this.refusals - 1, 10));
    this.backoffUntil = at + backoff * (0.75 + Math.random() / 2);
  }
}

const NO_BIND = 'No bind of the route is held here';

/** A route over this worker's binds: sends over ready slots in rotation, before their leases end; receives over all. */
export class BoundConnection implements RouteConnection {
  readonly slots = new Set<HeldBindSlot>();
  private next = 0;

  get ready(): boolean {
    for (const slot of this.slots) if (slot.ready) return true;
    return false;
  }

  get backoffMs(): number {
    const backoffs = this.sessions().map(({ session }) => session?.backoffMs ?? 0);
    return backoffs.length > 0 ? Math.min(...backoffs) : 0;
  }

  get isUntried(): boolean {
    return !this.ready && [...this.slots].some(({ session }) => session?.isUntried);
  }

  get fault(): string | null {
    if (this.ready) return null;
    return [...this.slots].find(({ fault }) => fault !== null)?.fault ?? NO_BIND;
  }

  send(message: OutboundMessage): Promise<SendOutcome> {
    const ready = this.sessions();
    // skip slots that the carrier throttles
    const awake = ready.length > 1 ? ready.filter(({ session }) => (session?.backoffMs ?? 0) === 0) : ready;
    const among = awake.length > 0 ? awake : ready;
    const slot = among[(this.next = (this.next + 1) % Math.max(1, among.length))];
    if (!slot?.session) return Promise.resolve({ kind: 'unsent', afterMs: 0, text: NO_BIND });
    return slot.session.send({ ...message, notAfter: Math.min(message.notAfter, slot.until) });
  }

  /** The keeper closes the sessions and gives the slots back. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  private sessions(): HeldBindSlot[] {
    const ready: HeldBindSlot[] = [];
    for (const slot of this.slots) if (slot.ready) ready.push(slot);
    return ready;
  }
}
