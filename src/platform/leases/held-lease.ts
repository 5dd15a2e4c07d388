/** Renewed at a third of the lease, and nothing leaves in its last sixth: clocks and commits need room. */
const RENEWALS = 3;
const SAFE_SHARE = 5 / 6;

/** What a hold is made of. */
export interface LeaseTerms {
  leaseMs: number;
  /** clock of `performance.now()`, taken before the claim was asked for */
  claimedAt: number;
  /** asks the database for as much again. @returns false when the row has passed to another worker */
  renew: () => Promise<boolean>;
  /** called once, when the row has passed to another worker */
  onLost?: () => void;
  /** called when the database could not be asked; the lease goes on until its end */
  onFault?: (error: unknown) => void;
}

/**
 * A lease while its holder works: renewed again and again, until `end`. `sendUntil` is the moment up to which something
 * may leave, by this process's own monotonic clock: whatever becomes of the connection or of the wall clocks, the lease
 * in the database is not over before. A holder asks it before each message.
 */
export class HeldLease {
  private until: number;
  private readonly timer: NodeJS.Timeout;
  private hasEnded = false;

  constructor(private readonly terms: LeaseTerms) {
    const { claimedAt, leaseMs } = terms;
    this.until = claimedAt + leaseMs * SAFE_SHARE;
    this.timer = setInterval(() => void this.renew(), leaseMs / RENEWALS);
  }

  /** Clock of `performance.now()`; 0 once the row has passed to another worker. */
  get sendUntil(): number {
    return this.until;
  }

  /** Whether something may leave now. */
  get maySend(): boolean {
    return performance.now() < this.until;
  }

  /** Is renewed no more. The row itself is given back by what the holder writes at its end. */
  end(): void {
    this.hasEnded = true;
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    const { leaseMs, renew, onLost, onFault } = this.terms;
    const askedAt = performance.now();
    try {
      const isHeld = await renew();
      if (this.hasEnded) return;
      if (isHeld) this.until = askedAt + leaseMs * SAFE_SHARE;
      else {
        this.until = 0;
        this.end();
        onLost?.();
      }
    } catch (error) {
      onFault?.(error);
    }
  }
}
