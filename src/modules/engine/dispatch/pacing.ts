import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { GroupCommit, UrgentFirst } from '../../../platform/concurrency/index.js';
import { jsonRows, type WriteResult } from '../../../platform/database/index.js';
import type { Route } from '../../providers/index.js';

/** A batch waits at most this long for its slots; beyond it, the lane returns to the queue. */
export const HORIZON_MS = 1_000;
const HORIZON_US = HORIZON_MS * 1_000;
/** A route booked further ahead was booked by a clock that has since stepped back. */
const LEAD_US = 3_000_000;
const LEAD_BOOKINGS = 4;
/** A busy route catches up on slots lost between batches, up to this; an idle one has nothing to catch up on. */
const CATCH_UP_MS = 150;
const CATCH_UP_US = CATCH_UP_MS * 1_000;

/** Not UNIX_TIMESTAMP(NOW(6)): it repeats an hour when the server's zone leaves summer time. */
const CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

interface Booking {
  id: number;
  cost: number;
}

interface Free {
  seen: number;
  clock: number;
  free: number;
}

/**
 * Shares a route's `messages_per_second` among all workers: one row holds the time of the next free slot (a GCRA in MySQL, safe
 * against an emptied Redis and a clock that steps back). Concurrent bookings of several routes share a statement.
 */
@Injectable()
export class RoutePace {
  private readonly bookings = new GroupCommit<Booking, number | null>((some) => this.bookAll(some), {
    maxItems: 500,
    delayMs: 0,
  });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Books `messages` slots. Milliseconds until the first (negative = catching up); null = booked beyond the horizon. */
  async reserve(route: Route, messages: number): Promise<number | null> {
    if (route.messagesPerSecond === null) return 0;
    return this.bookings.add({ id: route.id, cost: Math.ceil((messages * 1_000_000) / route.messagesPerSecond) });
  }

  private async bookAll(bookings: readonly Booking[]): Promise<(number | null)[]> {
    const [first] = bookings;
    if (bookings.length === 1 && first) return [await this.bookOne(first)];
    const routes = await this.read(bookings.map(({ id }) => id));
    const waits = bookings.map((booking) => bookIn(routes.get(booking.id), booking));
    const changed = [...routes].filter(([, { seen, free }]) => free !== seen);
    const isDone = await this.write(changed);
    for (const [index, booking] of bookings.entries()) {
      if (waits[index] !== null && !isDone(booking.id)) waits[index] = await this.bookOne(booking);
    }
    return waits;
  }

  private async read(ids: readonly number[]): Promise<Map<number, Free>> {
    const rows: { id: number; paceUs: number | string; clock: number | string }[] = await this.dataSource.query(
      `SELECT id, pace_us AS paceUs, ${CLOCK} AS clock FROM routes WHERE id IN (?)`,
      [[...new Set(ids)].sort((a, b) => a - b)],
    );
    return new Map(
      rows.map(({ id, paceUs, clock }) => [id, { seen: Number(paceUs), free: Number(paceUs), clock: Number(clock) }]),
    );
  }

  /** Optimistic write: skips routes that another worker has booked since the read. @returns whether a route is booked */
  private async write(changed: readonly [number, Free][]): Promise<(id: number) => boolean> {
    if (changed.length === 0) return () => true;
    const rows = changed.map(([id, { seen, free }]) => [id, seen, free]);
    const result: WriteResult = await this.dataSource.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id INT UNSIGNED PATH '$[0]', seen BIGINT PATH '$[1]', free BIGINT PATH '$[2]')) j
         STRAIGHT_JOIN routes r FORCE INDEX (PRIMARY) ON r.id = j.id
       SET r.pace_us = j.free WHERE r.pace_us = j.seen`,
      [jsonRows(rows.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)))],
    );
    if (result.affectedRows === changed.length) return () => true;
    const now = await this.read(changed.map(([id]) => id));
    const done = new Set(changed.flatMap(([id, { free }]) => (now.get(id)?.seen === free ? [id] : [])));
    // Another worker may have booked the same slots; then none counts as booked: slots get lost, but never used twice.
    return done.size === result.affectedRows ? (id) => done.has(id) : () => false;
  }

  private async bookOne({ id, cost }: Booking): Promise<number | null> {
    const stepped = `pace_us > ${CLOCK} + ${LEAD_US + LEAD_BOOKINGS * cost}`;
    const start = `IF(${stepped} OR pace_us < ${CLOCK} - ${CATCH_UP_US}, ${CLOCK}, pace_us)`;
    const result: WriteResult = await this.dataSource.query(
      `UPDATE routes SET pace_us = ${start} + ? + 0 * LAST_INSERT_ID(${start} - ${CLOCK} + ${CATCH_UP_US} + 1)
       WHERE id = ? AND (pace_us <= ${CLOCK} + ${HORIZON_US} OR ${stepped})`,
      [cost, id],
    );
    return result.affectedRows === 1 ? (result.insertId - 1 - CATCH_UP_US) / 1_000 : null;
  }
}

function bookIn(route: Free | undefined, { cost }: Booking): number | null {
  if (!route) return null;
  const { free, clock } = route;
  const isStepped = free > clock + LEAD_US + LEAD_BOOKINGS * cost;
  if (free > clock + HORIZON_US && !isStepped) return null;
  const start = isStepped || free < clock - CATCH_UP_US ? clock : free;
  route.free = start + cost;
  return (start - clock) / 1_000;
}

/** Slots booked at once after the start of a batch. */
const BLOCK_MS = 100;
/** Timer inaccuracy: slots due this soon are used at once. */
const TIMER_MS = 4;
/** A block that delays other workers' single messages this long is published shortly before its first slot. */
const LONG_MS = 25;
const AHEAD_MS = 20;
/** A single message needs its slot this much after its claim began, so the last slots of a block are not published. */
const CLAIM_MS = 10;
/** Retry interval while the route is booked beyond the horizon. */
export const ASK_AGAIN_MS = 250;

interface Waiting {
  items: number;
  go: () => void;
}

/**
 * Slots of one paced route in this worker, booked per batch, so that batches of several workers do not alternate. Single
 * messages take the next slot (`UrgentFirst`); other workers' single messages go to the owner (`SlotOwners`).
 */
export class Pacer {
  private readonly waiting = new UrgentFirst<Waiting>();
  /** time of the block's next slot, clock of `performance.now()` */
  private next = 0;
  /** remaining slots of the block; negative = a message of several items used slots of the next block */
  private left = 0;
  private expected = 0;
  private wanted = 0;
  private booking: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;

  /** @param book milliseconds until the first slot, null = none @param onNext the next slots are this worker's for `forMs` */
  constructor(
    private readonly perSecond: number,
    private readonly book: (slots: number) => Promise<number | null>,
    private readonly onNext: (forMs: number) => void = () => undefined,
  ) {}

  /** Milliseconds until a slot is free, booking if needed; null = booked beyond the horizon. @param slots of the batch */
  async freeIn(slots = 1): Promise<number | null> {
    this.forgetPast();
    if (this.left <= 0) {
      this.wanted = Math.max(this.wanted, slots);
      await this.bookBlock();
      if (this.left <= 0) return null;
    }
    return Math.max(0, this.next - performance.now());
  }

  /** Announces messages that will ask for slots. */
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
    this.publish(wait, slots);
  }

  /** By a timer, since the preceding block may be another worker's. */
  private publish(wait: number, slots: number): void {
    const apart = 1_000 / this.perSecond;
    const begins = Math.max(0, wait); // a block that catches up has begun
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
