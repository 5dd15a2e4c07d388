import type { OutboundMessage, RouteConnection, SendOutcome } from '../ports/message-driver.js';
import type { HeldPlace } from './held-place.js';

export const NO_BIND = 'No bind of the route is held here';

/**
 * One route over the binds of it that this worker holds: a message leaves over one that is ready, in turn, and before the
 * lease of that place ends; receipts come in over any of them.
 */
export class BoundConnection implements RouteConnection {
  readonly places = new Set<HeldPlace>();
  private next = 0;

  get ready(): boolean {
    for (const place of this.places) if (place.ready) return true;
    return false;
  }

  get restMs(): number {
    const rests = this.sessions().map(({ session }) => session?.restMs ?? 0);
    return rests.length > 0 ? Math.min(...rests) : 0;
  }

  get isUntried(): boolean {
    return !this.ready && [...this.places].some(({ session }) => session?.isUntried);
  }

  get fault(): string | null {
    if (this.ready) return null;
    return [...this.places].find(({ fault }) => fault !== null)?.fault ?? NO_BIND;
  }

  send(message: OutboundMessage): Promise<SendOutcome> {
    const ready = this.sessions();
    // Those that the carrier throttles rest.
    const awake = ready.length > 1 ? ready.filter(({ session }) => (session?.restMs ?? 0) === 0) : ready;
    const among = awake.length > 0 ? awake : ready;
    const place = among[(this.next = (this.next + 1) % Math.max(1, among.length))];
    if (!place?.session) return Promise.resolve({ kind: 'unsent', afterMs: 0, text: NO_BIND });
    return place.session.send({ ...message, notAfter: Math.min(message.notAfter, place.until) });
  }

  /** The keeper closes the sessions, and gives their places back. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  private sessions(): HeldPlace[] {
    const ready: HeldPlace[] = [];
    for (const place of this.places) if (place.ready) ready.push(place);
    return ready;
  }
}
