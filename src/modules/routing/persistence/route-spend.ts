import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { callingCodeOf } from '../../numbers/index.js';
import type { PriceList } from '../domain/price-list.js';

/** A message that left over a route with costs, or is taken back. */
export interface SpentMessage {
  routeId: number;
  accountId: number;
  channel: string;
  /** digits */
  number: string;
  segments: number;
  /** 1 = it leaves, -1 = it is taken back */
  times: 1 | -1;
}

/** Places of one process beside each other: more windows than it writes at a time. */
const PLACES = 8;
const SHARDS = 256;

type Counted = [
  route: number,
  account: number,
  channel: string,
  prefix: string,
  currency: string,
  messages: number,
  segments: number,
  micros: number,
];

/** As the rows of a shard are locked: their day is the same, and a route has one currency. */
const inKeyOrder = (a: Counted, b: Counted): number =>
  a[0] - b[0] || a[1] - b[1] || compare(a[2], b[2]) || compare(a[3], b[3]);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Counts what leaves at the price of its moment, in the transaction of the window. */
@Injectable()
export class RouteSpend {
  /** this process's first shard, by lot: another process has others, or waits for a commit now and then */
  private readonly base = randomInt(SHARDS / PLACES) * PLACES;
  private readonly taken = new Set<number>();

  /**
   * Runs a transaction with a shard that no other one of this process has at the same time; the lowest that is free, so that
   * a quiet day has one row.
   */
  async withShard<Result>(work: (shard: number) => Promise<Result>): Promise<Result> {
    let place = 0;
    while (this.taken.has(place) && place < PLACES - 1) place += 1;
    const isMine = !this.taken.has(place);
    this.taken.add(place);
    try {
      return await work(this.base + place);
    } finally {
      if (isMine) this.taken.delete(place);
    }
  }

  /**
   * To be called last in its transaction: the rows are the last that it locks, in the order of their key.
   * @param prices by route; messages of one that has none cost nothing
   */
  async count(
    tx: EntityManager,
    shard: number,
    prices: ReadonlyMap<number, PriceList>,
    messages: readonly SpentMessage[],
  ): Promise<void> {
    const rows = new Map<string, Counted>();
    for (const { routeId, accountId, channel, number, segments, times } of messages) {
      const list = prices.get(routeId);
      if (!list) continue;
      const prefix = callingCodeOf(number);
      const key = `${routeId} ${accountId} ${channel} ${prefix}`;
      const row = rows.get(key) ?? [routeId, accountId, channel, prefix, list.currency, 0, 0, 0];
      row[5] += times;
      row[6] += times * segments;
      row[7] += times * segments * list.microsFor(number);
      rows.set(key, row);
    }
    if (rows.size === 0) return;
    await tx.query(
      `INSERT INTO route_spend (day, route_id, account_id, channel, prefix, currency, shard, messages, segments, cost_micros)
       SELECT UTC_DATE(), j.route_id, j.account_id, j.channel, j.prefix, j.currency, ?, j.messages, j.segments, j.micros
       FROM JSON_TABLE(?, '$[*]' COLUMNS (route_id BIGINT PATH '$[0]', account_id BIGINT PATH '$[1]',
         channel VARCHAR(16) CHARACTER SET ascii PATH '$[2]', prefix VARCHAR(8) CHARACTER SET ascii PATH '$[3]',
         currency CHAR(3) CHARACTER SET ascii PATH '$[4]', messages BIGINT PATH '$[5]', segments BIGINT PATH '$[6]',
         micros BIGINT PATH '$[7]')) j
       ON DUPLICATE KEY UPDATE messages = route_spend.messages + VALUES(messages),
         segments = route_spend.segments + VALUES(segments), cost_micros = route_spend.cost_micros + VALUES(cost_micros)`,
      [shard, jsonRows([...rows.values()].sort(inKeyOrder))],
    );
  }
}
