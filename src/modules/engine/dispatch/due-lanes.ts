import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isFree } from '../../../platform/leases/index.js';
import type { DueRoute } from '../../../platform/queues/index.js';
import type { ChannelTurn } from './governor.js';
import type { LaneKey } from './lane-turn.js';

/** How much of what is due a turn takes. */
export interface Share {
  /** lanes */
  most: number;
  /** accounts that take turns */
  accounts: number;
}

/** Lanes whose route is down, that are looked at in one turn. */
const MOST_DOWN = 500;

const DUE = 'wake_at <= UTC_TIMESTAMP(3)';
const OF_TURN = 'channel = ? AND route_id = ? AND single = ?';
const valuesOf = ({ channel, routeId, single }: ChannelTurn): [string, number, number] => [
  channel,
  routeId,
  single ? 1 : 0,
];

/**
 * Finds what is due: where, and of whom. Each look jumps through an index from route to route, or from account to account,
 * so it costs what there is to find and not what waits.
 */
@Injectable()
export class DueLanes {
  /** the account that was served last, by turn: the next look goes on behind it */
  private readonly served = new Map<string, number>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Routes over which something is due; one step in the index for each that has lanes at all. */
  async routes(channels: readonly string[]): Promise<Required<DueRoute>[]> {
    const rows: { channel: string; route_id: number; single: number }[] = await this.dataSource.query(
      `SELECT channel, route_id, single, MIN(wake_at) AS first FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route)
       WHERE channel IN (?) GROUP BY channel, route_id, single HAVING first <= UTC_TIMESTAMP(3)`,
      [channels],
    );
    return rows.map((row) => ({ channel: row.channel, routeId: row.route_id, single: row.single === 1 }));
  }

  /** Whether the route has something due. */
  async any(turn: ChannelTurn): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route) WHERE ${OF_TURN} AND ${DUE} LIMIT 1`,
      valuesOf(turn),
    );
    return rows.length > 0;
  }

  /**
   * The next due lanes of a route: one account after another, from behind the one that was served last, and of each the
   * longest due.
   */
  async next(turn: ChannelTurn, { most, accounts }: Share): Promise<LaneKey[]> {
    const place = valuesOf(turn).join(' ');
    const after = this.served.get(place) ?? 0;
    const owners = await this.owners(turn, after, accounts);
    if (owners.length < accounts && after > 0) {
      const others = await this.owners(turn, 0, accounts - owners.length);
      owners.push(...others.filter((id) => !owners.includes(id)));
    }
    const last = owners.at(-1);
    if (last === undefined) return [];
    this.served.set(place, last);
    return this.longestDue(turn, owners, Math.ceil(most / owners.length), most);
  }

  /** Lanes of a route that cannot be used: those whose deadline does not run yet, and those that have reached it. */
  async down(turn: ChannelTurn, receiptTimeoutMs: number): Promise<LaneKey[]> {
    return this.dataSource.query(
      `SELECT campaign_id AS campaignId, lane FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route)
       WHERE ${OF_TURN} AND ${DUE} AND ${isFree()}
         AND (stalled_since IS NULL OR stalled_since <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND)
       ORDER BY wake_at LIMIT ${MOST_DOWN}`,
      [...valuesOf(turn), receiptTimeoutMs * 1_000],
    );
  }

  private async owners(turn: ChannelTurn, after: number, most: number): Promise<number[]> {
    const rows: { account_id: number }[] = await this.dataSource.query(
      `SELECT account_id, MIN(wake_at) AS first FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_account)
       WHERE ${OF_TURN} AND account_id > ? GROUP BY account_id HAVING first <= UTC_TIMESTAMP(3) LIMIT ?`,
      [...valuesOf(turn), after, most],
    );
    return rows.map((row) => row.account_id);
  }

  private async longestDue(
    turn: ChannelTurn,
    owners: readonly number[],
    each: number,
    most: number,
  ): Promise<LaneKey[]> {
    const of = `(SELECT campaign_id AS campaignId, lane FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_account)
      WHERE ${OF_TURN} AND account_id = ? AND ${DUE} ORDER BY wake_at LIMIT ?)`;
    return this.dataSource.query(`${owners.map(() => of).join(' UNION ALL ')} LIMIT ?`, [
      ...owners.flatMap((id) => [...valuesOf(turn), id, each]),
      most,
    ]);
  }
}
