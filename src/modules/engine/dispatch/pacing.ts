import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { GroupCommit, UrgentFirst } from '../../../platform/concurrency/index.js';
import { jsonRows, type WriteResult } from '../../../platform/database/index.js';
import type { Route } from '../../providers/index.js';

/** A window waits at most this long for its share of the route's speed; beyond it, the lane goes to the tail of the queue. */
export const HORIZON_MS = 1_000;
const HORIZON_US = HORIZON_MS * 1_000;
/** Nothing is booked beyond the horizon and a few bookings: a route that is booked further was so by a clock that stepped back. */
const LEAD_US = 3_000_000;
const LEAD_BOOKINGS = 4;
/** What a route that is in use lost between two windows, up to so much, is caught up with; one at rest has nothing to catch up. */
const CATCH_UP_MS = 150;
const CATCH_UP_US = CATCH_UP_MS * 1_000;

/** Not UNIX_TIMESTAMP(NOW(6)): that repeats an hour where the server's own zone leaves summer time. */
const CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

interface Booking {
  id: number;
  /** microseconds of the route */
  cost: number;
}

/** A route while bookings of it are worked out. */
interface Free {
  /** as it was read */
  seen: number;
  clock: number;
  /** when the route is next free */
  free: number;
}

/**
 * Shares a route's `messages_per_second` among all workers: one row holds the moment when the route is next free
 * (a GCRA in MySQL). A window books its slots at once, and what comes at the same moment for other routes is booked with it:
 * a thousand slow routes cost what one quick one does. It survives an emptied Redis, and a clock that steps back.
 */
@Injectable()
export class RoutePace {
  private readonly bookings = new GroupCommit<Booking, number | null>((some) => this.bookAll(some), {
    maxItems: 500,
    delayMs: 0,
  });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Reserves the next `messages` slots.
   * @returns milliseconds to wait before the first (below 0: some are to be caught up with), or null when the route is spoken
   * for beyond the horizon
   */
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
    for (const [place, booking] of bookings.entries()) {
      if (waits[place] !== null && !isDone(booking.id)) waits[place] = await this.bookOne(booking);
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

  /** Writes what was worked out, where no other worker has booked since. @returns whether a route is booked so */
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
    // Another worker may have booked the very same: then none is taken for booked, which costs slots and doubles none.
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

/** Books in the row as it was read. @returns as `reserve` */
function bookIn(route: Free | undefined, { cost }: Booking): number | null {
  if (!route) return null;
  const { free, clock } = route;
  const isStepped = free > clock + LEAD_US + LEAD_BOOKINGS * cost;
  if (free > clock + HORIZON_US && !isStepped) return null;
  const start = isStepped || free < clock - CATCH_UP_US ? clock : free;
  route.free = start + cost;
  return (start - clock) / 1_000;
}

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
 * another worker has (`SlotOwners`). Slots that no message asked for are gone after `CATCH_UP_MS`.
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
