import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Gathering, GroupCommit, ONE_TICK } from '../../../platform/concurrency/index.js';
import { isFree } from '../../../platform/database/index.js';
import type { DueRoute } from '../../../platform/queues/index.js';
import { DueRoutes } from '../state/due-routes.js';
import { type ChannelRoute, routeKeyText, valuesOf } from './capacity.js';
import type { LaneKey } from '../lanes.js';

export interface Share {
  most: number;
  accounts: number;
}

interface OwnedLane extends LaneKey {
  accountId: number;
}

interface Asked {
  route: ChannelRoute;
  most: number;
}

const MOST_JOBS = 32;
const MOST_LANES = 960;
const TOGETHER: Gathering<Asked> = {
  maxItems: MOST_LANES,
  weigh: ({ most }) => Math.max(most, MOST_LANES / MOST_JOBS),
  delayMs: 0,
  atOnce: 2,
};

const STEP_LANES = 128;
const MOST_STEPS = 16;

const MOST_ACCOUNT_ID = 2 ** 32 - 1;

/** Lanes with a lease may be due too (after a cancel or a planned retry): they wait for the end of the batch or lease. */
const DUE = `wake_at <= UTC_TIMESTAMP(3) AND ${isFree()}`;
const OF_ROUTE = 'channel = ? AND route_id = ? AND single = ?';

/** Interleaves the lanes of accounts, starting after account `after`; keeps the order within an account. */
export function roundRobin<Lane extends OwnedLane>(lanes: readonly Lane[], after: number): Lane[] {
  const ranks = new Map<number, number>();
  const ranked = lanes.map((lane) => {
    const rank = ranks.get(lane.accountId) ?? 0;
    ranks.set(lane.accountId, rank + 1);
    return { lane, rank, wraps: lane.accountId <= after ? 1 : 0 };
  });
  ranked.sort((a, b) => a.rank - b.rank || a.wraps - b.wraps || a.lane.accountId - b.lane.accountId);
  return ranked.map(({ lane }) => lane);
}

/** Finds due lanes. Queries jump through an index by route or account: the cost depends on what is found, not on what waits. */
@Injectable()
export class DueLanes {
  /** last served account by route job; the next query starts after it */
  private readonly served = new Map<string, number>();
  private readonly reads = new GroupCommit<Asked, OwnedLane[]>((asked) => this.longestOfEach(asked), TOGETHER);

  private readonly anyOf = new GroupCommit<ChannelRoute, boolean>((routes) => this.anyOfEach(routes), {
    ...ONE_TICK,
    maxItems: 2 * MOST_JOBS,
  });

  private readonly dueRoutes: DueRoutes;

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    this.dueRoutes = new DueRoutes(dataSource);
  }

  /** Routes with due lanes, in pages per channel. */
  routes(channels: readonly string[]): Promise<Required<DueRoute>[]> {
    return this.dueRoutes.find(channels);
  }

  any(route: ChannelRoute): Promise<boolean> {
    return this.anyOf.add(route);
  }

  private async anyOfEach(routes: readonly ChannelRoute[]): Promise<boolean[]> {
    const of = routes.map(
      (_, ordinal) =>
        `(SELECT ${ordinal} AS ordinal FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route) WHERE ${OF_ROUTE} AND ${DUE} LIMIT 1)`,
    );
    const rows: { ordinal: number | string }[] = await this.dataSource.query(
      of.join(' UNION ALL '),
      routes.flatMap(valuesOf),
    );
    const due = new Set(rows.map(({ ordinal }) => Number(ordinal)));
    return routes.map((_, ordinal) => due.has(ordinal));
  }

  /** Due lanes in rotation over accounts, of each those due longest. One statement if all due lanes fit. */
  async next(route: ChannelRoute, { most, accounts }: Share): Promise<LaneKey[]> {
    const after = this.served.get(routeKeyText(route)) ?? 0;
    const all = await this.longestOfAll(route, most + 1);
    const lanes = all.length <= most ? all : await this.ofAccounts(route, after, { most, accounts });
    const rotated = roundRobin(lanes, after);
    // The first campaign may fill the batch alone, so the next query starts after its account.
    const served = route.single ? rotated.at(-1) : rotated[0];
    if (served) this.servedTo(route, served.accountId);
    return rotated.map(({ campaignId, lane }) => ({ campaignId, lane }));
  }

  /** Continues the rotation after this account. */
  servedTo(route: ChannelRoute, accountId: number): void {
    this.served.set(routeKeyText(route), accountId);
  }

  private longestOfAll(route: ChannelRoute, most: number): Promise<OwnedLane[]> {
    return this.reads.add({ route, most });
  }

  private async longestOfEach(asked: readonly Asked[]): Promise<OwnedLane[][]> {
    const of = asked.map(
      (_, ordinal) => `(SELECT ${ordinal} AS ordinal, campaign_id AS campaignId, lane, account_id AS accountId
        FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_route) WHERE ${OF_ROUTE} AND ${DUE} ORDER BY wake_at LIMIT ?)`,
    );
    const rows: (OwnedLane & { ordinal: number | string })[] = await this.dataSource.query(
      of.join(' UNION ALL '),
      asked.flatMap(({ route, most }) => [...valuesOf(route), most]),
    );
    const found = asked.map((): OwnedLane[] => []);
    for (const { ordinal, ...lane } of rows) found[Number(ordinal)]?.push(lane);
    return found;
  }

  private async ofAccounts(route: ChannelRoute, after: number, { most, accounts }: Share): Promise<OwnedLane[]> {
    const { owners, seen } = await this.owners(route, after, accounts);
    if (owners.length === 0) this.servedTo(route, seen);
    if (owners.length === 0) return [];
    return this.longestDue(route, owners, Math.ceil(most / owners.length), most);
  }

  /**
   * Accounts with due lanes after `after`, wrapping once. A step reads a few lanes by account and goes on behind the last one.
   * (MariaDB makes no loose index scan if the preceding columns are constants.)
   */
  private async owners(route: ChannelRoute, after: number, most: number): Promise<{ owners: number[]; seen: number }> {
    const owners: number[] = [];
    let seen = after;
    let isAround = after === 0;
    for (let step = 0; step < MOST_STEPS && owners.length < most; step++) {
      const { ids, isEnd } = await this.step(route, seen, isAround && after > 0 ? after : MOST_ACCOUNT_ID);
      owners.push(...(await this.thatAreDue(route, ids.slice(0, most))));
      if (isEnd && ids.length <= most) {
        if (isAround) break;
        isAround = true;
        seen = 0;
      } else seen = ids.at(most - 1) ?? ids.at(-1) ?? seen;
    }
    return { owners: owners.slice(0, most), seen };
  }

  private async step(route: ChannelRoute, after: number, last: number): Promise<{ ids: number[]; isEnd: boolean }> {
    const rows: { account_id: number }[] = await this.dataSource.query(
      `SELECT account_id FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_account)
       WHERE ${OF_ROUTE} AND account_id > ? AND account_id <= ? ORDER BY account_id LIMIT ${STEP_LANES}`,
      [...valuesOf(route), after, last],
    );
    return { ids: [...new Set(rows.map((row) => row.account_id))], isEnd: rows.length < STEP_LANES };
  }

  /** One constant per account, so that the index skips lanes that are not due. */
  private async thatAreDue(route: ChannelRoute, ids: readonly number[]): Promise<number[]> {
    if (ids.length === 0) return [];
    const of = `(SELECT account_id FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_account)
      WHERE ${OF_ROUTE} AND account_id = ? AND ${DUE} LIMIT 1)`;
    const rows: { account_id: number }[] = await this.dataSource.query(
      ids.map(() => of).join(' UNION ALL '),
      ids.flatMap((id) => [...valuesOf(route), id]),
    );
    const due = new Set(rows.map((row) => row.account_id));
    return ids.filter((id) => due.has(id));
  }

  private async longestDue(
    route: ChannelRoute,
    owners: readonly number[],
    each: number,
    most: number,
  ): Promise<OwnedLane[]> {
    const of = `(SELECT campaign_id AS campaignId, lane, account_id AS accountId FROM campaign_lanes FORCE INDEX (ix_campaign_lanes_account)
      WHERE ${OF_ROUTE} AND account_id = ? AND ${DUE} ORDER BY wake_at LIMIT ?)`;
    return this.dataSource.query(`${owners.map(() => of).join(' UNION ALL ')} LIMIT ?`, [
      ...owners.flatMap((id) => [...valuesOf(route), id, each]),
      most,
    ]);
  }
}
