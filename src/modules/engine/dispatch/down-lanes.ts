import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isFree } from '../../../platform/leases/index.js';
import { sqlFirstPlaceOf, sqlGroupOf } from '../state/lanes.js';
import { type ChannelTurn, turnKey } from './governor.js';
import { SQL_PATIENCE_US } from './lane-failover.js';
import type { LaneKey } from './lane-turn.js';

/** What is to be done with lanes of a route that cannot be used. */
export interface DownTerms {
  /** for how long nothing may get through before a lane's recipients end, milliseconds */
  timeoutMs: number;
  /** routes that may take over */
  targets: readonly number[];
}

/** A look at all lanes of a route that found nothing to do. */
interface LastLook {
  /** clock of `performance.now()` */
  at: number;
  targets: string;
}

/** Lanes that are looked at in one turn. */
const MOST_LANES = 500;
/** Even when nothing has come since: a lane that was held meanwhile, or whose deadline has come. */
const LOOK_AT_ALL_MS = 15_000;
/** A lane that is due from a moment on is seen later, once its transaction is over. */
const LATE_MS = 30_000;

/** From its place on, the lane's chain has one of the routes of a pattern. */
const ROUTES = "LENGTH(c.route_ids) - LENGTH(REPLACE(c.route_ids, ',', '')) + 1";
const REST = `SUBSTRING_INDEX(c.route_ids, ',', CAST(${sqlFirstPlaceOf('l.lane')} AS SIGNED) - (${ROUTES}))`;
const HAS_TARGET = `EXISTS (SELECT 1 FROM campaign_routes c WHERE c.campaign_id = l.campaign_id
  AND c.lane_group = ${sqlGroupOf('l.lane')} AND CONCAT(',', ${REST}, ',') REGEXP ?)`;
const IS_PATIENT = `(l.moves = 0 OR l.stalled_since <= UTC_TIMESTAMP(3) - INTERVAL ${SQL_PATIENCE_US} MICROSECOND)`;
const DUE = `l.channel = ? AND l.route_id = ? AND l.single = ? AND l.wake_at <= UTC_TIMESTAMP(3) AND ${isFree('l')}`;

/**
 * Finds lanes of a route that cannot be used, of which something is to be done: those whose deadline does not run yet, those
 * that have reached it, and those that another route takes over. Once a look at all of them has found nothing, the next ones
 * look at what has come since, and only now and then, or when other routes can take over, at all of them again.
 */
@Injectable()
export class DownLanes {
  private readonly looks = new Map<string, LastLook>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(turn: ChannelTurn, { timeoutMs, targets }: DownTerms): Promise<LaneKey[]> {
    const at = performance.now();
    const known = this.looks.get(turnKey(turn));
    const isPart = known !== undefined && known.targets === targets.join() && at - known.at < LOOK_AT_ALL_MS;
    const since = isPart ? 'AND l.wake_at > UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND' : '';
    const moves = targets.length > 0 ? `OR ${IS_PATIENT} AND ${HAS_TARGET}` : '';
    const lanes = await this.dataSource.query<LaneKey[]>(
      `SELECT l.campaign_id AS campaignId, l.lane FROM campaign_lanes l FORCE INDEX (ix_campaign_lanes_route)
       WHERE ${DUE} ${since}
         AND (l.stalled_since IS NULL OR l.stalled_since <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND ${moves})
       ORDER BY l.wake_at LIMIT ${MOST_LANES}`,
      [
        ...valuesOf(turn),
        ...(isPart ? [Math.round((at - known.at + LATE_MS) * 1_000)] : []),
        timeoutMs * 1_000,
        ...patternOf(targets),
      ],
    );
    if (isPart) return lanes;
    const isOver = lanes.length === 0 && !(await this.areSomeImpatient(turn, targets));
    if (isOver) this.looks.set(turnKey(turn), { at, targets: targets.join() });
    else this.looks.delete(turnKey(turn));
    return lanes;
  }

  /** The route can be used again: the next look at it is a first one. */
  forget(turn: ChannelTurn): void {
    this.looks.delete(turnKey(turn));
  }

  /** Whether lanes will be handed over in a while that were handed over before. */
  private async areSomeImpatient(turn: ChannelTurn, targets: readonly number[]): Promise<boolean> {
    if (targets.length === 0) return false;
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM campaign_lanes l FORCE INDEX (ix_campaign_lanes_route)
       WHERE ${DUE} AND l.moves > 0 AND ${HAS_TARGET} LIMIT 1`,
      [...valuesOf(turn), ...patternOf(targets)],
    );
    return rows.length > 0;
  }
}

const valuesOf = ({ channel, routeId, single }: ChannelTurn): [string, number, number] => [
  channel,
  routeId,
  single ? 1 : 0,
];

/** A regular expression for a chain's ids between commas. */
const patternOf = (targets: readonly number[]): string[] => (targets.length > 0 ? [`,(${targets.join('|')}),`] : []);
