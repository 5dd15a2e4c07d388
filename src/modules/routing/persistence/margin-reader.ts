import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** By what the margin is told apart. */
export const MARGIN_GROUPS = ['day', 'account', 'channel', 'prefix', 'route'] as const;

export type MarginGroup = (typeof MARGIN_GROUPS)[number];

/** Which margin is asked for: days (UTC), both counted in. */
export interface MarginSelection {
  from: string;
  to: string;
  group: MarginGroup;
}

/** Credits of one group. */
export interface MarginCredits {
  place: string;
  charged: number;
  refunded: number;
}

/** What one group cost in one currency. */
export interface MarginCost {
  place: string;
  currency: string;
  messages: number;
  segments: number;
  /** millionths */
  micros: string;
}

const KEYS: Record<MarginGroup, string> = {
  day: "DATE_FORMAT(day, '%Y-%m-%d')",
  account: 'account_id',
  channel: 'channel',
  prefix: 'prefix',
  route: 'route_id',
};

/** What was earned and what it cost, from the counters of both. */
@Injectable()
export class MarginReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param most groups that are read */
  async credits({ from, to, group }: MarginSelection, most: number): Promise<MarginCredits[]> {
    const key = KEYS[group];
    const rows: MarginCredits[] = await this.dataSource.query(
      `SELECT ${key} AS place, CAST(SUM(charged_credits) AS SIGNED) AS charged,
         CAST(SUM(refunded_credits) AS SIGNED) AS refunded
       FROM usage_counters WHERE day BETWEEN ? AND ? GROUP BY ${key} LIMIT ?`,
      [from, to, most],
    );
    return rows.map((row) => ({ ...row, place: String(row.place) }));
  }

  /** @param most groups and currencies that are read */
  async costs({ from, to, group }: MarginSelection, most: number): Promise<MarginCost[]> {
    const key = KEYS[group];
    const rows: MarginCost[] = await this.dataSource.query(
      `SELECT ${key} AS place, currency, CAST(SUM(messages) AS SIGNED) AS messages,
         CAST(SUM(segments) AS SIGNED) AS segments, CAST(SUM(cost_micros) AS CHAR) AS micros
       FROM route_spend WHERE day BETWEEN ? AND ? GROUP BY ${key}, currency LIMIT ?`,
      [from, to, most],
    );
    return rows.map((row) => ({ ...row, place: String(row.place) }));
  }
}
