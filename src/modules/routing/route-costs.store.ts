import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { TtlCache, GroupCommit, ONE_TICK } from '../../platform/concurrency/index.js';
import { jsonRows } from '../../platform/database/index.js';
import { callingCodeOf } from '../numbers/index.js';
import { type CostRow, PriceList } from './price-list.js';
import { RouteCostEntity, RoutePriceListEntity } from './tables.js';

export interface RouteCostList {
  currency: string;
  rows: CostRow[];
  updatedAt: Date;
}

const KEPT_MS = 2_000;
export const MOST_COSTS = 10_000;

/** Carriers' prices. Every batch queries them: versions are cached for 2 s, and rows are read again after a change only. */
@Injectable()
export class RouteCosts {
  private readonly versions = new TtlCache<number, number | null>(KEPT_MS);
  private readonly heads = new GroupCommit<number, number | null>((routeIds) => this.versionsOf(routeIds), ONE_TICK);
  private readonly lists = new Map<number, { version: number; list: PriceList }>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** A route's prices; null = no costs. Do not call inside a transaction. */
  async listOf(routeId: number): Promise<PriceList | null> {
    const version = await this.versions.get(routeId, () => this.heads.add(routeId));
    if (version === null) {
      this.lists.delete(routeId);
      return null;
    }
    const known = this.lists.get(routeId);
    if (known?.version === version) return known.list;
    const found = await this.find(routeId);
    if (!found) return null;
    const list = new PriceList(found.currency, found.rows);
    this.lists.set(routeId, { version, list });
    return list;
  }

  async find(routeId: number): Promise<RouteCostList | null> {
    const { manager } = this.dataSource;
    const head = await manager.findOneBy(RoutePriceListEntity, { routeId });
    if (!head) return null;
    const rows = await manager.find(RouteCostEntity, {
      where: { routeId },
      order: { prefix: 'ASC' },
      take: MOST_COSTS,
    });
    return {
      currency: head.currency,
      rows: rows.map(({ prefix, micros }) => ({ prefix, micros })),
      updatedAt: head.updatedAt,
    };
  }

  /** Replaces a route's costs; the caller has locked the route's row. Call `forget` after the commit. */
  async put(tx: EntityManager, routeId: number, currency: string, rows: readonly CostRow[]): Promise<void> {
    await this.remove(tx, routeId);
    await tx.insert(RoutePriceListEntity, { routeId, currency, version: newId(), updatedAt: now() });
    await tx.query(
      `INSERT INTO route_costs (route_id, prefix, cost_micros)
       SELECT ?, j.prefix, j.micros FROM JSON_TABLE(?, '$[*]' COLUMNS (
         prefix VARCHAR(15) CHARACTER SET ascii PATH '$[0]', micros BIGINT PATH '$[1]')) j`,
      [routeId, jsonRows(rows.map(({ prefix, micros }) => [prefix, micros]))],
    );
  }

  /** Call `forget` after the commit. @returns whether there were any */
  async remove(tx: EntityManager, routeId: number): Promise<boolean> {
    const { affected } = await tx.delete(RoutePriceListEntity, { routeId });
    await tx.delete(RouteCostEntity, { routeId });
    return Boolean(affected);
  }

  forget(): void {
    this.versions.clear();
  }

  private async versionsOf(routeIds: readonly number[]): Promise<(number | null)[]> {
    const heads = await this.dataSource.manager.findBy(RoutePriceListEntity, { routeId: In([...routeIds]) });
    const versions = new Map(heads.map(({ routeId, version }) => [routeId, version]));
    return routeIds.map((routeId) => versions.get(routeId) ?? null);
  }
}

export interface SpentMessage {
  routeId: number;
  accountId: number;
  channel: string;
  number: string;
  segments: number;
  times: 1 | -1;
}

/** Shards of one process: more than the batches that it writes concurrently. */
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

/** Lock order of a shard's rows; the day is the same, and a route has one currency. */
const inKeyOrder = (a: Counted, b: Counted): number =>
  a[0] - b[0] || a[1] - b[1] || compare(a[2], b[2]) || compare(a[3], b[3]);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Counts sent messages at their current price, in the transaction of the batch. */
@Injectable()
export class RouteSpend {
  /** first shard of this process, random: processes that collide only wait for each other's commits */
  private readonly base = randomInt(SHARDS / PLACES) * PLACES;
  private readonly taken = new Set<number>();

  /** Runs a transaction with the lowest shard that is free in this process, so that a quiet day has one row. */
  async withShard<Result>(work: (shard: number) => Promise<Result>): Promise<Result> {
    let index = 0;
    while (this.taken.has(index) && index < PLACES - 1) index += 1;
    const isMine = !this.taken.has(index);
    this.taken.add(index);
    try {
      return await work(this.base + index);
    } finally {
      if (isMine) this.taken.delete(index);
    }
  }

  /** Call last in the transaction: its rows are locked last, in key order. @param prices by route; others cost nothing */
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

export const MARGIN_GROUPS = ['day', 'account', 'channel', 'prefix', 'route'] as const;

export type MarginGroup = (typeof MARGIN_GROUPS)[number];

/** Days (UTC), inclusive. */
export interface MarginSelection {
  from: string;
  to: string;
  group: MarginGroup;
}

export interface MarginCredits {
  groupKey: string;
  charged: number;
  refunded: number;
}

export interface MarginCost {
  groupKey: string;
  currency: string;
  messages: number;
  segments: number;
  micros: string;
}

const KEYS: Record<MarginGroup, string> = {
  day: "DATE_FORMAT(day, '%Y-%m-%d')",
  account: 'account_id',
  channel: 'channel',
  prefix: 'prefix',
  route: 'route_id',
};

/** Reads credits and costs from their counters. */
@Injectable()
export class MarginReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param most limit of groups */
  async credits({ from, to, group }: MarginSelection, most: number): Promise<MarginCredits[]> {
    const key = KEYS[group];
    const rows: MarginCredits[] = await this.dataSource.query(
      `SELECT ${key} AS groupKey, CAST(SUM(charged_credits) AS SIGNED) AS charged,
         CAST(SUM(refunded_credits) AS SIGNED) AS refunded
       FROM usage_counters WHERE day BETWEEN ? AND ? GROUP BY ${key} LIMIT ?`,
      [from, to, most],
    );
    return rows.map((row) => ({ ...row, groupKey: String(row.groupKey) }));
  }

  /** @param most limit of groups and currencies */
  async costs({ from, to, group }: MarginSelection, most: number): Promise<MarginCost[]> {
    const key = KEYS[group];
    const rows: MarginCost[] = await this.dataSource.query(
      `SELECT ${key} AS groupKey, currency, CAST(SUM(messages) AS SIGNED) AS messages,
         CAST(SUM(segments) AS SIGNED) AS segments, CAST(SUM(cost_micros) AS CHAR) AS micros
       FROM route_spend WHERE day BETWEEN ? AND ? GROUP BY ${key}, currency LIMIT ?`,
      [from, to, most],
    );
    return rows.map((row) => ({ ...row, groupKey: String(row.groupKey) }));
  }
}
