import { UrgentFirst } from '../../../platform/concurrency/index.js';
import { CATCH_UP_MS } from './route-pace.js';

/** What a window did not book at its begin is booked in blocks of so much. */
const BLOCK_MS = 100;
/** Timers are late by as much: what is due so soon goes at once. */
const TIMER_MS = 4;
/** A block beyond which a message elsewhere would wait so long is told of, shortly before its first slot. */
const LONG_MS = 25;
const AHEAD_MS = 20;
/** A message for which a worker has begun to claim a lane asks for its slot so much later: of the last ones nothing is told. */
const CLAIM_MS = 10;
/** When a route that is spoken for is asked again. */
export const ASK_AGAIN_MS = 250;

interface Waiting {
  items: number;
  go: () => void;
}

/**
 * The slots of one paced route in this worker, booked from MySQL: those of a window together, so that windows of several
 * workers follow each other and do not share their slots. A message of one recipient takes the next slot of what is booked,
 * in front of campaigns (`UrgentFirst`); it is told of when those that are booked are the route's next, for messages whose turn
 * another worker has (`RouteHomes`). Slots that no message asked for are gone after `CATCH_UP_MS`.
 */
export class Pacer {
  private readonly waiting = new UrgentFirst<Waiting>();
  /** clock of `performance.now()`: the next slot of the block */
  private next = 0;
  /** slots of the block that are left; below 0 = a message of several items has taken some of the next block */
  private left = 0;
  /** messages that are announced and have no slot yet */
  private expected = 0;
  /** slots of windows that are about to begin */
  private wanted = 0;
  private booking: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;

  /**
   * @param perSecond slots a second
   * @param book books so many slots; resolves to the milliseconds until the first, null = spoken for
   * @param onNext a long block is the route's next, for so many milliseconds
   */
  constructor(
    private readonly perSecond: number,
    private readonly book: (slots: number) => Promise<number | null>,
    private readonly onNext: (forMs: number) => void = () => undefined,
  ) {}

  /**
   * Milliseconds until a slot is free. Books if need be, for the window that asks.
   * @param slots of the window
   * @returns null while the route is spoken for
   */
  async freeIn(slots = 1): Promise<number | null> {
    this.forgetPast();
    if (this.left <= 0) {
      this.wanted = Math.max(this.wanted, slots);
      await this.bookBlock();
      if (this.left <= 0) return null;
    }
    return Math.max(0, this.next - performance.now());
  }

  /** So many messages are going to ask for slots, one after the other. */
  expect(messages: number): void {
    this.expected += messages;
  }

  /** Resolves when the message may leave. @param items slots that it takes */
  slot(items: number, isUrgent: boolean): Promise<void> {
    if (this.waiting.length === 0) this.forgetPast();
    return new Promise((resolve) => {
      this.waiting.push({ items, go: resolve }, isUrgent);
      this.pump();
    });
  }

  private pump(): void {
    while (this.waiting.length > 0) {
      if (this.left <= 0) return void this.bookBlock().then(() => this.pumpAfterBooking());
      const wait = this.next - performance.now();
      if (wait > TIMER_MS) return this.pumpIn(wait);
      const { items, go } = this.waiting.shift() as Waiting;
      this.next += (items * 1_000) / this.perSecond;
      this.left -= items;
      this.expected = Math.max(0, this.expected - 1);
      go();
    }
  }

  private pumpAfterBooking(): void {
    if (this.left > 0) this.pump();
    else this.pumpIn(ASK_AGAIN_MS);
  }

  private pumpIn(milliseconds: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.pump();
    }, milliseconds);
  }

  /** One booking at a time; what is announced says how much is worth it. */
  private bookBlock(): Promise<void> {
    this.booking ??= this.bookNow().finally(() => {
      this.booking = null;
    });
    return this.booking;
  }

  private async bookNow(): Promise<void> {
    const most = Math.max(1, Math.floor((this.perSecond * BLOCK_MS) / 1_000));
    const debt = Math.max(0, -this.left);
    const slots = Math.ceil(debt) + Math.max(1, Math.min(most, this.expected), this.wanted);
    this.wanted = 0;
    const wait = await this.book(slots).catch(() => null);
    if (wait === null) return;
    this.next = performance.now() + wait + (debt * 1_000) / this.perSecond;
    this.left = slots - debt;
    this.tell(wait, slots);
  }

  /** By a timer, which no window waits for: the block before may be another worker's. */
  private tell(wait: number, slots: number): void {
    const apart = 1_000 / this.perSecond;
    const begins = Math.max(0, wait); // what is caught up with has begun
    const lasts = (slots - 1) * apart + wait - begins;
    if (lasts <= LONG_MS) return;
    const ahead = Math.min(begins, Math.max(AHEAD_MS, apart));
    setTimeout(() => this.onNext(ahead + lasts - CLAIM_MS), begins - ahead).unref();
  }

  private forgetPast(): void {
    const late = performance.now() - this.next;
    if (this.left <= 0 || late <= CATCH_UP_MS) return;
    const gone = Math.min(this.left, Math.floor((late * this.perSecond) / 1_000));
    this.left -= gone;
    this.next += (gone * 1_000) / this.perSecond;
  }
}
