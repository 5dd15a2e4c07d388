import type { LedgerEntry } from '../carrier/carrier-ledger.js';
import { DueQueue } from '../carrier/due-queue.js';
import type { Faults } from '../carrier/faults.js';

/** A receipt that waits to leave. */
export interface DueReceipt {
  /** on the clock of `performance.now()`; 0 = at once */
  dueAt: number;
  id: string;
  delivered: boolean;
  /** code of the carrier's registry that refused it; null = none did */
  refusal: number | null;
  entry: LedgerEntry;
}

/** A message to the short number of a system_id. */
export interface HandsetText {
  from: string;
  to: string;
  text: string;
}

/** A bound session that takes receipts. */
export interface ReceiptTaker {
  /** how many more it may have unanswered */
  readonly room: number;
  deliver(receipt: DueReceipt): void;
  /** a text from a handset */
  deliverText(text: HandsetText): void;
}

const TICK_MS = 10;
const REPEAT_MS = 500;

/**
 * Receipts of one system_id: kept until one of its sessions acknowledges them, so that they reach another worker when
 * one dies; refused ones come again.
 */
export class ReceiptOutbox {
  private readonly takers = new Set<ReceiptTaker>();
  private readonly urgent = new DueQueue<DueReceipt>();
  private readonly timed = new DueQueue<DueReceipt>();
  private readonly repeats = new Set<NodeJS.Timeout>();
  private readonly timer = setInterval(() => this.flush(), TICK_MS);
  private flushing = false;

  constructor(private readonly faults: Faults) {}

  join(taker: ReceiptTaker): void {
    this.takers.add(taker);
  }

  /** @param unanswered what the session had been given; it goes out again over another one */
  leave(taker: ReceiptTaker, unanswered: Iterable<DueReceipt>): void {
    this.takers.delete(taker);
    for (const receipt of unanswered) this.urgent.push(receipt);
  }

  add(receipt: DueReceipt): void {
    (receipt.dueAt === 0 ? this.urgent : this.timed).push(receipt);
  }

  /** Over one of the sessions, at once. @returns false when none is bound */
  deliverText(text: HandsetText): boolean {
    const [taker] = this.takers;
    taker?.deliverText(text);
    return taker !== undefined;
  }

  /** A session has room again. */
  acknowledged(): void {
    if (this.flushing || this.urgent.length + this.timed.length === 0) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  /** The other side could not take it now. */
  repeat(receipt: DueReceipt): void {
    const timer = setTimeout(() => {
      this.repeats.delete(timer);
      this.urgent.push(receipt);
    }, REPEAT_MS);
    this.repeats.add(timer);
  }

  /** Forgets what waits. */
  clear(): void {
    this.urgent.clear();
    this.timed.clear();
    for (const timer of this.repeats) clearTimeout(timer);
    this.repeats.clear();
  }

  stop(): void {
    clearInterval(this.timer);
    this.clear();
  }

  /** Hands out what is due, to the sessions in turn, as far as they have room. */
  flush(): void {
    if (this.takers.size === 0 || this.faults.current.holdReceipts) return;
    const now = performance.now();
    let takers = [...this.takers].filter((taker) => taker.room > 0);
    for (let turn = 0; takers.length > 0; turn++) {
      const taker = takers[turn % takers.length] as ReceiptTaker;
      const receipt = this.urgent.take(now) ?? this.timed.take(now);
      if (!receipt) return;
      receipt.entry.status = receipt.delivered ? 'DELIVERED' : 'FAILED';
      taker.deliver(receipt);
      if (taker.room <= 0) takers = takers.filter((other) => other.room > 0);
    }
  }
}
