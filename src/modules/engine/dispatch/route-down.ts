import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, jsonRows, isFree } from '../../../platform/database/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import { RouteConnections, type RouteKind } from '../../providers/index.js';
import {
  chainsOfLanes,
  firstIndexOf,
  inLaneOrder,
  type LaneKey,
  type LaneSnapshot,
  type RouteChain,
  sqlFirstIndexOf,
  sqlGroupOf,
} from '../lanes.js';
import { failoverCounter } from '../settle/refused-sends.js';
import { newClaimId } from '../state/lane-claims.js';
import { KEYS, OF_KEY, OF_MOVED_KEY } from '../state/lane-endings.js';
import { dropInDoubtOf, HAS_BEGUN_RETRIES } from '../state/retries.js';
import { type ChannelRoute, routeKeyText, valuesOf } from './capacity.js';

/** A shorter outage may end by itself: a session binds again, or a trial message succeeds. */
const PATIENCE_MS = 2_000;
/** A lane moved before waits longer each time, so that workers that reach different routes do not move it back and forth. */
const MOST_DOUBLINGS = 5;
/** Interval of trial messages while other routes carry the lanes. */
const TRIAL_EVERY_MS = 15_000;
const REASON_LENGTH = 255;

export interface FailingRoute {
  id: number;
  kind: RouteKind;
  isGone: boolean;
}

interface Move {
  lane: LaneSnapshot;
  to: number;
}

/** Moves free lanes of a down route to the next of their chain (docs/decisions/0034). The raised fence refuses older claims. */
@Injectable()
export class LaneFailover {
  private readonly logger = new Logger(LaneFailover.name);
  private readonly handed;
  /** last trial, or begin of the outage; clock of `performance.now()` */
  private readonly triedAt = new Map<number, number>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly connections: RouteConnections,
    private readonly relay: RelayNotifier,
    metrics: Metrics,
  ) {
    this.handed = failoverCounter(metrics);
  }

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
    const moves = movable.flatMap((lane): Move[] => {
      const to = nextOf(chainOf(lane), lane, targets);
      return to === null ? [] : [{ lane, to }];
    });
    if (moves.length === 0) return lanes;
    moves.sort((a, b) => inLaneOrder(a.lane, b.lane));
    const moved = await inTransaction(this.dataSource, (tx) => this.move(tx, moves, fault.slice(0, REASON_LENGTH)));
    this.publish(moved, route, fault);
    // A lane that another worker changed first is either moved already or found again.
    const planned = new Set(moves.map(({ lane }) => lane));
    return lanes.filter((lane) => !planned.has(lane));
  }

  /** Drops retries with a possible copy at the old route: a receipt or the deadline settles them. @param moves in lock order */
  private async move(tx: EntityManager, moves: readonly Move[], reason: string): Promise<Move[]> {
    const id = newClaimId();
    const rows = jsonRows(moves.map(({ lane, to }) => [lane.campaignId, lane.lane, lane.fence, to, lane.routeId]));
    await tx.query(
      `UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
       SET l.route_id = j.reached, l.fence = l.fence + 1, l.claim_id = ?, l.stalled_since = NULL,
         l.moves = LEAST(l.moves + 1, 100), l.wake_at = UTC_TIMESTAMP(3)
       WHERE ${isFree('l')} AND l.intent_seq <= l.next_seq AND NOT (${HAS_BEGUN_RETRIES})`,
      [rows, id],
    );
    const found: { n: number }[] = await tx.query(
      `SELECT STRAIGHT_JOIN j.n FROM ${MOVES} JOIN campaign_lanes l ON ${OF_MOVED_KEY} LIMIT ?`,
      [rows, id, moves.length],
    );
    if (found.length === 0) return [];
    const moved = found.flatMap(({ n }) => moves[Number(n) - 1] ?? []);
    await dropInDoubtOf(
      tx,
      moved.map(({ lane }) => lane),
    );
    await tx.query(
      `INSERT INTO route_changes (campaign_id, lane, seq, fence, to_lane, from_seq, at, from_route, to_route, reason)
       SELECT STRAIGHT_JOIN l.campaign_id, l.lane, 0, l.fence, l.lane, l.next_seq, UTC_TIMESTAMP(3), j.from_route, j.to_route, ?
       FROM ${MOVES} JOIN campaign_lanes l ON ${OF_MOVED_KEY}`,
      [reason, rows, id],
    );
    return moved;
  }

  private publish(moved: readonly Move[], route: FailingRoute, reason: string): void {
    for (const to of new Set(moved.map((move) => move.to))) {
      const taken = moved.flatMap(({ lane, to: route }) => (route === to ? [lane] : []));
      const [first] = taken;
      if (!first) continue;
      const { channel } = first;
      this.handed.inc({ channel }, taken.length);
      this.logger.warn({ from: route.id, to, lanes: taken.length, reason }, 'lanes were handed to another route');
      for (const single of new Set(taken.map((lane) => lane.single))) {
        this.relay.notify([{ channel, routeId: to, single }]);
      }
    }
  }
}

const MOVES = `JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]',
  fence BIGINT PATH '$[2]', to_route BIGINT PATH '$[3]', from_route BIGINT PATH '$[4]')) j`;

/** Milliseconds that a lane waits on a down route before it moves. */
const patienceOf = (moves: number): number =>
  moves === 0 ? 0 : PATIENCE_MS * 2 ** Math.min(moves - 1, MOST_DOUBLINGS);

const isPatient = ({ moves, stalledMs }: LaneSnapshot): boolean => (stalledMs ?? 0) >= patienceOf(moves);

const SQL_PATIENCE_US = `IF(l.moves = 0, 0, ${PATIENCE_MS * 1_000} * POW(2, LEAST(l.moves - 1, ${MOST_DOUBLINGS})))`;

const othersIn = (chain: RouteChain | null, lane: LaneSnapshot): RouteChain =>
  chain?.slice(firstIndexOf(lane.lane)).filter((route) => route !== lane.routeId) ?? [];

const nextOf = (chain: RouteChain | null, lane: LaneSnapshot, targets: readonly number[]): number | null =>
  othersIn(chain, lane).find((route) => targets.includes(route)) ?? null;

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
