import type { OutboundMessage, RouteConnection, SendOutcome } from './ports/message-driver.js';

/** What staff and timelines read of a route that was stopped. */
export const STOPPED = 'Route is stopped by staff';

/**
 * A connection over which nothing leaves while staff have stopped its route: what waits in it does not leave any more
 * either, and receipts go on coming in.
 */
export class StoppableConnection implements RouteConnection {
  isStopped = false;

  constructor(readonly inner: RouteConnection) {}

  private readonly hasStopped = (): boolean => this.isStopped;

  get ready(): boolean {
    return !this.isStopped && this.inner.ready;
  }

  get onTrial(): boolean {
    return !this.isStopped && (this.inner.onTrial ?? false);
  }

  get restMs(): number {
    return this.inner.restMs ?? 0;
  }

  get isUntried(): boolean {
    return !this.isStopped && (this.inner.isUntried ?? false);
  }

  get fault(): string | null {
    return this.isStopped ? STOPPED : this.inner.fault;
  }

  get refusal(): string | null {
    return this.inner.refusal ?? null;
  }

  send(message: OutboundMessage): Promise<SendOutcome> {
    if (this.isStopped) return Promise.resolve(UNSENT);
    return this.inner.send(this.guarded(message));
  }

  close(waitMs?: number): Promise<void> {
    return this.inner.close(waitMs);
  }

  /** It is asked once more when nothing else can hold it back. */
  private guarded(message: OutboundMessage): OutboundMessage {
    const { leaving } = message;
    const guard = (others?: number): void => {
      if (this.isStopped) throw new Error(STOPPED);
      leaving?.(others);
    };
    return { ...message, leaving: guard, hasStopped: this.hasStopped };
  }
}

const UNSENT: SendOutcome = { kind: 'unsent', afterMs: 0, text: STOPPED };
