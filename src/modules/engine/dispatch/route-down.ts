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
import { KEYS, OF_KEY } from '../state/lane-endings.js';
import { dropInDoubtOf, HAS_BEGUN_RETRIES } from '../state/retries.js';
import { type ChannelRoute, routeKeyText } from './capacity.js';

/** A route that is gone for less may be back at once: a session that is bound again, a try that shows the upstream well. */
const PATIENCE_MS = 2_000;
/** A lane that was handed over before waits longer each time: workers that reach different routes do not throw it to and fro. */
const MOST_DOUBLINGS = 5;
/** While other routes carry its lanes, an upstream in trouble gets one message so often, which shows whether it is back. */
const TRIAL_EVERY_MS = 15_000;
const REASON_LENGTH = 255;

/** The route that lanes of a turn leave over, as this worker finds it. */
export interface FailingRoute {
  id: number;
  kind: RouteKind;
  /** its row is gone */
  isGone: boolean;
}

/** A lane, and the route that takes over. */
interface Move {
  lane: LaneSnapshot;
  to: number;
}

/**
 * Hands lanes of a route that cannot be used to the next route of their chain (docs/decisions/0034): what was never submitted
 * goes on there. Only lanes that no worker holds and of which no window is open are moved, and their fence rises: a turn that
 * has read one under its old route cannot claim it any more.
 */
@Injectable()
export class LaneFailover {
  private readonly logger = new Logger(LaneFailover.name);
  private readonly handed;
  /** clock of `performance.now()`: when a route in trouble last got a message on trial, or got into trouble */
  private readonly triedAt = new Map<number, number>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly connections: RouteConnections,
    private readonly relay: RelayNotifier,
    metrics: Metrics,
  ) {
    this.handed = failoverCounter(metrics);
  }

  /** The routes that may take over from this one now; none while it can be used, or may be back at once. */
  async targets({ id, kind, isGone }: FailingRoute): Promise<number[]> {
    if (kind === 'chat') return [];
    if (!isGone) {
      const { usable, downMs } = await this.connections.stateOf(id);
      if (usable) this.triedAt.delete(id);
      if (usable || downMs < PATIENCE_MS) return [];
    }
    return (await this.connections.usable(kind)).filter((route) => route !== id);
  }

  /** The routes, other than their present one, over which lanes may leave. */
  async othersOf(lanes: readonly LaneSnapshot[]): Promise<(lane: LaneSnapshot) => RouteChain> {
    const chainOf = await chainsOfLanes(this.dataSource, lanes);
    return (lane) => othersIn(chainOf(lane), lane);
  }

  /**
   * Whether a route in trouble that would take a message on trial is to have one now. Not at once: its lane would wait for the
   * answer of an upstream that has just shown that it gives none.
   */
  isTrialDue(routeId: number): boolean {
    const at = performance.now();
    const last = this.triedAt.get(routeId);
    if (last !== undefined && at - last < TRIAL_EVERY_MS) return false;
    this.triedAt.set(routeId, at);
    return last !== undefined;
  }

  /**
   * @param lanes lanes of the route that are due, of campaigns that send
   * @param targets as `targets` has found them
   * @param fault why the route cannot be used
   * @returns those that stay with it
   */
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
    this.tell(moved, route, fault);
    // One that another worker was faster with is another worker's, or is found again.
    const planned = new Set(moves.map(({ lane }) => lane));
    return lanes.filter((lane) => !planned.has(lane));
  }

  /**
   * Retries of which a copy may be with the old route are dropped: a receipt or the deadline settles them.
   * @param moves in the order in which lanes are locked
   */
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
      `SELECT STRAIGHT_JOIN j.n FROM ${MOVES} JOIN campaign_lanes l ON ${MOVED} LIMIT ?`,
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
       FROM ${MOVES} JOIN campaign_lanes l ON ${MOVED}`,
      [reason, rows, id],
    );
    return moved;
  }

  private tell(moved: readonly Move[], route: FailingRoute, reason: string): void {
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
const MOVED = 'l.campaign_id = j.campaign_id AND l.lane = j.lane AND l.fence = j.fence + 1 AND l.claim_id = ?';

/** How long a lane waits on a route that is down before it is handed on, milliseconds. */
const patienceOf = (moves: number): number =>
  moves === 0 ? 0 : PATIENCE_MS * 2 ** Math.min(moves - 1, MOST_DOUBLINGS);

const isPatient = ({ moves, stalledMs }: LaneSnapshot): boolean => (stalledMs ?? 0) >= patienceOf(moves);

/** `patienceOf` the lane `l`, in microseconds, as SQL. */
const SQL_PATIENCE_US = `IF(l.moves = 0, 0, ${PATIENCE_MS * 1_000} * POW(2, LEAST(l.moves - 1, ${MOST_DOUBLINGS})))`;

/** The routes of a chain from the place on from which the lane may leave, but its present one. */
const othersIn = (chain: RouteChain | null, lane: LaneSnapshot): RouteChain =>
  chain?.slice(firstIndexOf(lane.lane)).filter((route) => route !== lane.routeId) ?? [];

/** The first of them that is usable. */
const nextOf = (chain: RouteChain | null, lane: LaneSnapshot, targets: readonly number[]): number | null =>
  othersIn(chain, lane).find((route) => targets.includes(route)) ?? null;

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
const REST = `SUBSTRING_INDEX(c.route_ids, ',', CAST(${sqlFirstIndexOf('l.lane')} AS SIGNED) - (${ROUTES}))`;
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

  async find(route: ChannelRoute, { timeoutMs, targets }: DownTerms): Promise<LaneKey[]> {
    const at = performance.now();
    const known = this.looks.get(routeKeyText(route));
    const isPart = known !== undefined && known.targets === targets.join() && at - known.at < LOOK_AT_ALL_MS;
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
    if (isOver) this.looks.set(routeKeyText(route), { at, targets: targets.join() });
    else this.looks.delete(routeKeyText(route));
    return lanes;
  }

  /** The route can be used again: the next look at it is a first one. */
  forget(route: ChannelRoute): void {
    this.looks.delete(routeKeyText(route));
  }

  /** Whether lanes will be handed over in a while that were handed over before. */
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

const valuesOf = ({ channel, routeId, single }: ChannelRoute): [string, number, number] => [
  channel,
  routeId,
  single ? 1 : 0,
];

/** A regular expression for a chain's ids between commas. */
const patternOf = (targets: readonly number[]): string[] => (targets.length > 0 ? [`,(${targets.join('|')}),`] : []);
