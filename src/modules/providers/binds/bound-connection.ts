import type { OutboundMessage, RouteConnection, SendOutcome } from '../message-driver.js';
import type { BindKey, BindReport } from './route-binds.store.js';

/** The first back-off after a refusal, doubled with each further one. */
const REFUSED_MS = 1_000;
const LONGEST_REFUSED_MS = 30_000;

/** A place that this worker holds, and its session. */
export class HeldBindSlot implements BindKey {
  readonly routeId: number;
  readonly place: number;
  readonly fence: number;
  session: RouteConnection | null = null;
  /** the end of the session before, of another address or login */
  former = Promise.resolve();
  refusals: number;
  fault: string | null = null;
  /** it is being given back, or its session is closing: nothing more leaves over it */
  isLeaving = false;
  /** clock of `performance.now()`: no session is tried before */
  restUntil = 0;
  /** clock of `performance.now()`: since when there has been no session */
  downSince = performance.now();
  /** what was last said of it */
  private said = '';

  /** @param until clock of `performance.now()`: nothing may leave over it afterwards unless the lease is renewed */
  constructor(
    { routeId, place, fence, refusals = 0 }: BindKey & { refusals?: number },
    public until: number,
  ) {
    this.routeId = routeId;
    this.place = place;
    this.fence = fence;
    this.refusals = refusals;
  }

  /** Something may leave over it now. */
  get ready(): boolean {
    return !this.isLeaving && this.session !== null && this.session.ready && performance.now() < this.until;
  }

  get note(): BindReport {
    const { routeId, place, fence, refusals, fault } = this;
    return { routeId, place, fence, refusals, fault, bound: this.session?.ready ?? false };
  }

  /** Follows its session. @returns whether there is something new to say of it */
  look(at: number): boolean {
    const { session } = this;
    if (session?.ready) {
      this.refusals = 0;
      this.fault = null;
      this.downSince = at;
    } else if (session?.refusal) this.refused(session, session.refusal, at);
    else if (session) this.fault = session.isUntried ? this.fault : session.fault;
    const text = JSON.stringify([this.note.bound, this.fault]);
    const isNew = this.said !== text;
    this.said = text;
    return isNew;
  }

  private refused(session: RouteConnection, text: string, at: number): void {
    this.session = null;
    void session.close(0);
    this.refusals += 1;
    this.fault = `The carrier refuses the bind: ${text}`;
    const rest = Math.min(LONGEST_REFUSED_MS, REFUSED_MS * 2 ** Math.min(this.refusals - 1, 10));
    this.restUntil = at + rest * (0.75 + Math.random() / 2);
  }
}

export const NO_BIND = 'No bind of the route is held here';

/**
 * One route over the binds of it that this worker holds: a message leaves over one that is ready, in turn, and before the
 * lease of that place ends; receipts come in over any of them.
 */
export class BoundConnection implements RouteConnection {
  readonly slots = new Set<HeldBindSlot>();
  private next = 0;

  get ready(): boolean {
    for (const slot of this.slots) if (slot.ready) return true;
    return false;
  }

  get restMs(): number {
    const rests = this.sessions().map(({ session }) => session?.restMs ?? 0);
    return rests.length > 0 ? Math.min(...rests) : 0;
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
    // Those that the carrier throttles rest.
    const awake = ready.length > 1 ? ready.filter(({ session }) => (session?.restMs ?? 0) === 0) : ready;
    const among = awake.length > 0 ? awake : ready;
    const slot = among[(this.next = (this.next + 1) % Math.max(1, among.length))];
    if (!slot?.session) return Promise.resolve({ kind: 'unsent', afterMs: 0, text: NO_BIND });
    return slot.session.send({ ...message, notAfter: Math.min(message.notAfter, slot.until) });
  }

  /** The keeper closes the sessions, and gives their places back. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  private sessions(): HeldBindSlot[] {
    const ready: HeldBindSlot[] = [];
    for (const slot of this.slots) if (slot.ready) ready.push(slot);
    return ready;
  }
}
