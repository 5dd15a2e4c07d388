import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction, isFree } from '../../../platform/database/index.js';
import { RouteConnections, type RouteKind } from '../../providers/index.js';
import {
  chainsOfLanes,
  firstIndexOf,
  laneKey,
  type LaneKey,
  type LaneSnapshot,
  type RouteChain,
  sqlFirstIndexOf,
  sqlGroupOf,
} from '../lanes.js';
import { type LaneMove, LaneMoves, nextInChain } from '../state/lane-moves.js';
import { type ChannelRoute, routeKeyText, valuesOf } from './capacity.js';

/** A shorter outage may end by itself: a session binds again, or a trial message succeeds. */
const PATIENCE_MS = 2_000;
/** A lane moved before waits longer each time, so that workers that reach different routes do not move it back and forth. */
const MOST_DOUBLINGS = 5;
/** Interval of trial messages while other routes carry the lanes. */
const TRIAL_EVERY_MS = 15_000;

export interface FailingRoute {
  id: number;
  kind: RouteKind;
  isGone: boolean;
}

/** Moves free lanes of a down route to the next of their chain (docs/decisions/0034). The raised fence refuses older claims. */
@Injectable()
export class LaneFailover {
  /** last trial, or begin of the outage; clock of `performance.now()` */
  private readonly triedAt = new Map<number, number>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly connections: RouteConnections,
    private readonly lanes: LaneMoves,
  ) {}

  /** Routes that may take over now; none while the route is usable, or down only briefly. */
  async targets({ id, kind, isGone }: FailingRoute): Promise<number[]> {
    if (kind === 'chat') return [];
    if (!isGone) {
      const { usable, downMs } = await this.connections.stateOf(id);
      if (usable) this.triedAt.delete(id);
      if (usable || downMs < PATIENCE_MS) return [];
    }
    return (await this.connections.usable(kind)).filter((route) => route !== id);
  }

  /** Routes of each lane's chain other than its current one. */
  async othersOf(lanes: readonly LaneSnapshot[]): Promise<(lane: LaneSnapshot) => RouteChain> {
    const chainOf = await chainsOfLanes(this.dataSource, lanes);
    return (lane) => othersIn(chainOf(lane), lane);
  }

  /** Whether a trial message is due. Not at once: its lane would wait for a carrier that has just failed to answer. */
  isTrialDue(routeId: number): boolean {
    const at = performance.now();
    const last = this.triedAt.get(routeId);
    if (last !== undefined && at - last < TRIAL_EVERY_MS) return false;
    this.triedAt.set(routeId, at);
    return last !== undefined;
  }

  /** Moves due lanes of sending campaigns. @param fault why the route is down @returns lanes that stay */
  async relieve(
    lanes: readonly LaneSnapshot[],
    route: FailingRoute,
    targets: readonly number[],
    fault: string,
  ): Promise<readonly LaneSnapshot[]> {
    const movable = targets.length === 0 ? [] : lanes.filter((lane) => route.isGone || isPatient(lane));
    if (movable.length === 0) return lanes;
    const chainOf = await chainsOfLanes(this.dataSource, movable);
    const moves = movable.flatMap((lane): LaneMove[] => {
      const chain = chainOf(lane);
      const index = nextInChain(chain, lane, 'route down', (id) => targets.includes(id));
      return index === null ? [] : [{ ...lane, from: lane.routeId, to: Number(chain?.[index]), reason: fault }];
    });
    if (moves.length === 0) return lanes;
    const moved = await inTransaction(this.dataSource, (tx) => this.lanes.moveLanes(tx, moves, 'route down'));
    this.lanes.publish(moved, 'route down');
    // A lane that another worker changed first is either moved already or found again.
    const planned = new Set(moves.map(laneKey));
    return lanes.filter((lane) => !planned.has(laneKey(lane)));
  }
}

/** Milliseconds that a lane waits on a down route before it moves. */
const patienceOf = (moves: number): number =>
  moves === 0 ? 0 : PATIENCE_MS * 2 ** Math.min(moves - 1, MOST_DOUBLINGS);

const isPatient = ({ moves, stalledMs }: LaneSnapshot): boolean => (stalledMs ?? 0) >= patienceOf(moves);

const SQL_PATIENCE_US = `IF(l.moves = 0, 0, ${PATIENCE_MS * 1_000} * POW(2, LEAST(l.moves - 1, ${MOST_DOUBLINGS})))`;

const othersIn = (chain: RouteChain | null, lane: LaneSnapshot): RouteChain =>
  chain?.slice(firstIndexOf(lane.lane)).filter((route) => route !== lane.routeId) ?? [];

export interface DownTerms {
  /** milliseconds until the recipients of a stalled lane fail */
  timeoutMs: number;
  targets: readonly number[];
}

/** A query over all lanes of a route that found nothing to do. */
interface LastQuery {
  at: number;
  targets: string;
}

const MOST_LANES = 500;
/** Full queries recur, since leases end and deadlines pass. */
const FULL_QUERY_MS = 15_000;
/** A lane can become visible this long after its wake-up time, when its transaction commits. */
const LATE_MS = 30_000;

/** Whether a route of a pattern follows in the lane's chain. */
const ROUTES = "LENGTH(c.route_ids) - LENGTH(REPLACE(c.route_ids, ',', '')) + 1";
const LATER_ROUTES = `SUBSTRING_INDEX(c.route_ids, ',', CAST(${sqlFirstIndexOf('l.lane')} AS SIGNED) - (${ROUTES}))`;
const HAS_TARGET = `EXISTS (SELECT 1 FROM campaign_routes c WHERE c.campaign_id = l.campaign_id
  AND c.lane_group = ${sqlGroupOf('l.lane')} AND CONCAT(',', ${LATER_ROUTES}, ',') REGEXP ?)`;
const IS_PATIENT = `(l.moves = 0 OR l.stalled_since <= UTC_TIMESTAMP(3) - INTERVAL ${SQL_PATIENCE_US} MICROSECOND)`;
const DUE = `l.channel = ? AND l.route_id = ? AND l.single = ? AND l.wake_at <= UTC_TIMESTAMP(3) AND ${isFree('l')}`;

/**
 * Finds lanes of a down route that need work. After a full query without result, further ones read only new lanes, except now
 * and then and when the targets change.
 */
@Injectable()
export class DownLanes {
  private readonly queries = new Map<string, LastQuery>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(route: ChannelRoute, { timeoutMs, targets }: DownTerms): Promise<LaneKey[]> {
    const at = performance.now();
    const known = this.queries.get(routeKeyText(route));
    const isPart = known !== undefined && known.targets === targets.join() && at - known.at < FULL_QUERY_MS;
    const since = isPart ? 'AND l.wake_at > UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND' : '';
    const moves = targets.length > 0 ? `OR ${IS_PATIENT} AND ${HAS_TARGET}` : '';
    const lanes = await this.dataSource.query<LaneKey[]>(
      `SELECT l.campaign_id AS campaignId, l.lane FROM campaign_lanes l FORCE INDEX (ix_campaign_lanes_route)
       WHERE ${DUE} ${since}
         AND (l.stalled_since IS NULL OR l.stalled_since <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND ${moves})
       ORDER BY l.wake_at LIMIT ${MOST_LANES}`,
      [
        ...valuesOf(route),
        ...(isPart ? [Math.round((at - known.at + LATE_MS) * 1_000)] : []),
        timeoutMs * 1_000,
        ...patternOf(targets),
      ],
    );
    if (isPart) return lanes;
    const isOver = lanes.length === 0 && !(await this.areSomeImpatient(route, targets));
    if (isOver) this.queries.set(routeKeyText(route), { at, targets: targets.join() });
    else this.queries.delete(routeKeyText(route));
    return lanes;
  }

  /** Call when the route is usable again: the next query is a full one. */
  forget(route: ChannelRoute): void {
    this.queries.delete(routeKeyText(route));
  }

  /** Whether lanes moved before will become movable again. */
  private async areSomeImpatient(route: ChannelRoute, targets: readonly number[]): Promise<boolean> {
    if (targets.length === 0) return false;
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM campaign_lanes l FORCE INDEX (ix_campaign_lanes_route)
       WHERE ${DUE} AND l.moves > 0 AND ${HAS_TARGET} LIMIT 1`,
      [...valuesOf(route), ...patternOf(targets)],
    );
    return rows.length > 0;
  }
}

const patternOf = (targets: readonly number[]): string[] => (targets.length > 0 ? [`,(${targets.join('|')}),`] : []);
