import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { jsonRows, type WriteResult } from '../../../platform/database/index.js';
import type { Route } from '../../providers/index.js';

/** A window waits at most this long for its share of the route's speed; beyond it, the lane goes to the tail of the queue. */
export const HORIZON_MS = 1_000;
const HORIZON_US = HORIZON_MS * 1_000;
/** Nothing is booked beyond the horizon and a few bookings: a route that is booked further was so by a clock that stepped back. */
const LEAD_US = 3_000_000;
const LEAD_BOOKINGS = 4;
/** What a route that is in use lost between two windows, up to so much, is caught up with; one at rest has nothing to catch up. */
export const CATCH_UP_MS = 150;
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
