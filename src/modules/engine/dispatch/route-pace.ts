import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { WriteResult } from '../../../platform/database/index.js';
import type { Route } from '../../providers/index.js';

/** A window waits at most this long for its share of the route's speed; beyond it, the lane goes to the tail of the queue. */
const HORIZON_US = 1_000_000;
/** Nothing is booked beyond the horizon and a few bookings: a route that is booked further was so by a clock that stepped back. */
const LEAD_US = 3_000_000;
const LEAD_BOOKINGS = 4;

/**
 * Shares a route's `messages_per_second` among all workers: one row holds the moment when the route is next free
 * (a GCRA in MySQL). It costs one small write a window and survives an emptied Redis, and a clock that steps back.
 */
@Injectable()
export class RoutePace {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Reserves the next `messages` slots.
   * @returns milliseconds to wait before the first, or null when the route is spoken for beyond the horizon
   */
  async reserve(route: Route, messages: number): Promise<number | null> {
    if (route.messagesPerSecond === null) return 0;
    // Not UNIX_TIMESTAMP(NOW(6)): that repeats an hour where the server's own zone leaves summer time.
    const clock = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    const cost = Math.ceil((messages * 1_000_000) / route.messagesPerSecond);
    const stepped = `pace_us > ${clock} + ${LEAD_US + LEAD_BOOKINGS * cost}`;
    const result: WriteResult = await this.dataSource.query(
      `UPDATE routes SET pace_us = IF(${stepped}, ${clock}, GREATEST(pace_us, ${clock})) + ?
         + 0 * LAST_INSERT_ID(IF(${stepped}, 0, GREATEST(pace_us - ${clock}, 0)))
       WHERE id = ? AND (pace_us <= ${clock} + ${HORIZON_US} OR ${stepped})`,
      [cost, route.id],
    );
    return result.affectedRows === 1 ? result.insertId / 1000 : null;
  }
}
