import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isFree, jsonRows, type QuotedText } from '../../../platform/database/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import { firstIndexOf, heldFence, inLaneOrder, laneKey, type LaneSnapshot, type RouteChain } from '../lanes.js';
import { newClaimId } from './lane-claims.js';
import { OF_KEY } from './lane-endings.js';
import { dropInDoubtOf, type FencedLane, HAS_BEGUN_RETRIES, NEW_FENCE, RETRIABLE } from './retries.js';

/** Why something goes on over another route. */
type MoveCause = 'route down' | 'refused' | 'staff';

/** The rest of a lane that goes on over another route. */
export interface LaneMove extends FencedLane {
  channel: string;
  single: boolean;
  from: number;
  to: number;
  /** shown in timelines */
  reason: string;
}

/** A recipient that goes on in another lane, because the carrier of its lane has refused it. */
export interface RecipientHandover extends LaneMove {
  seq: number;
  /** the refused one */
  attempt: number;
  /** created if it does not exist */
  toLane: number;
}

/** SQL: no worker holds lane `l`, and no batch of it is open or in doubt. */
export const IS_MOVABLE = `${isFree('l')} AND l.intent_seq <= l.next_seq AND NOT (${HAS_BEGUN_RETRIES})`;

/** The new route may wait less for receipts than the old: the check of the campaign plans by all its routes. */
const CHECKED_WITHIN_S = 30;
const REASON_LENGTH = 255;
const MOVES = `JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]',
  fence BIGINT PATH '$[2]', seq INT PATH '$[3]', attempt INT PATH '$[4]', to_lane INT PATH '$[5]', from_route BIGINT PATH '$[6]',
  to_route BIGINT PATH '$[7]', reason VARCHAR(255) CHARACTER SET utf8mb4 PATH '$[8]')) j`;

type Move = LaneMove & Partial<RecipientHandover>;

const rowsOf = (moves: readonly Move[], fenceOf: (move: Move) => number): QuotedText =>
  jsonRows(
    moves.map((move) => [
      ...[move.campaignId, move.lane, fenceOf(move), move.seq ?? 0, (move.attempt ?? 0) + 1, move.toLane ?? move.lane],
      ...[move.from, move.to, move.reason.slice(0, REASON_LENGTH)],
    ]),
  );
const readFence = ({ fence }: Move): number => fence;

/**
 * Index of the next route of a chain that may carry the lane; null = none. A refused lane only goes forward: the routes before
 * have refused its recipients, and a refusal goes on behind the refusing route.
 */
export function nextInChain(
  chain: RouteChain | null,
  { routeId, lane }: Pick<LaneSnapshot, 'routeId' | 'lane'>,
  cause: 'route down' | 'refused',
  mayCarry: (routeId: number) => boolean,
): number | null {
  const at = chain?.indexOf(routeId) ?? -1;
  if (!chain || (cause === 'refused' && at < 0)) return null;
  const first = cause === 'refused' ? Math.max(at, firstIndexOf(lane)) + 1 : firstIndexOf(lane);
  const index = chain.findIndex((route, next) => next >= first && route !== routeId && mayCarry(route));
  return index < 0 ? null : index;
}

/**
 * The only writer of moves between routes: of lanes (a route is down, or staff move them) and of refused recipients
 * (docs/decisions/0034).
 */
@Injectable()
export class LaneMoves {
  private readonly logger = new Logger(LaneMoves.name);
  private readonly counter;

  constructor(
    private readonly relay: RelayNotifier,
    metrics: Metrics,
  ) {
    const help = 'Lanes and refused recipients handed to another route';
    this.counter = metrics.counter('switchboard_failovers_total', help, ['channel']);
  }

  /**
   * Moves lanes that are still as read and that no worker holds; the raised fence refuses older claims. Drops retries with a
   * possible copy at the old route: a receipt or the deadline settles them. @returns the moved ones
   */
  async moveLanes(tx: EntityManager, wanted: readonly LaneMove[], cause: MoveCause): Promise<LaneMove[]> {
    const moves = [...wanted].sort(inLaneOrder);
    const id = newClaimId();
    const rows = rowsOf(moves, readFence);
    // Only lanes that wait for a route that is down are due, and wait longer before each further move.
    const patience = cause === 'route down' ? ', l.moves = LEAST(l.moves + 1, 100), l.wake_at = UTC_TIMESTAMP(3)' : '';
    await tx.query(
      `UPDATE ${MOVES} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
       SET l.route_id = j.to_route, l.fence = l.fence + 1, l.claim_id = ?, l.stalled_since = NULL${patience}
       WHERE l.route_id = j.from_route AND ${IS_MOVABLE}`,
      [rows, id],
    );
    const found: { n: number }[] = await tx.query(
      `SELECT STRAIGHT_JOIN j.n FROM ${MOVES} JOIN campaign_lanes l ON ${OF_KEY} + 1 AND l.claim_id = ? LIMIT ?`,
      [rows, id, moves.length],
    );
    const moved = found.flatMap(({ n }) => moves[Number(n) - 1] ?? []);
    if (moved.length === 0) return [];
    await dropInDoubtOf(tx, moved);
    await this.checkSoon(tx, rowsOf(moved, heldFence), 'TRUE');
    await this.record(tx, moved, 'INSERT');
    return moved;
  }

  /**
   * Moves refused recipients to lanes of other routes, due at once, while the claim of their lane is held. Idempotent, since
   * results may be written again after a lost answer.
   */
  async moveRecipients(tx: EntityManager, moves: readonly RecipientHandover[]): Promise<void> {
    if (moves.length === 0) return;
    const lanes = new Map(moves.map((move) => [laneKey({ ...move, lane: move.toLane }), move]));
    const inOrder = [...lanes.values()].sort((a, b) => a.campaignId - b.campaignId || a.toLane - b.toLane);
    await this.checkSoon(tx, rowsOf(inOrder, heldFence), `l.lane IS NULL`);
    await tx.query(
      `INSERT INTO campaign_lanes (campaign_id, lane, channel, route_id, account_id, single, next_seq, intent_seq, end_seq,
         fence, wake_at, settle_at)
       SELECT STRAIGHT_JOIN c.id, j.to_lane, c.channel, j.to_route, c.account_id, c.total_rows = 1,
         c.total_rows + 1, c.total_rows + 1, c.total_rows + 1, ${NEW_FENCE}, UTC_TIMESTAMP(3), l.settle_at
       FROM ${MOVES} JOIN campaigns c ON c.id = j.campaign_id
       JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON l.campaign_id = j.campaign_id AND l.lane = j.lane
       ON DUPLICATE KEY UPDATE wake_at = LEAST(COALESCE(campaign_lanes.wake_at, VALUES(wake_at)), VALUES(wake_at))`,
      [rowsOf(inOrder, heldFence)],
    );
    const rows = rowsOf(moves, heldFence);
    await tx.query(
      `UPDATE ${MOVES} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
       STRAIGHT_JOIN recipient_retries t FORCE INDEX (PRIMARY) ON t.campaign_id = j.campaign_id AND t.seq = j.seq AND t.lane = j.lane
       SET t.lane = j.to_lane, t.due_at = UTC_TIMESTAMP(3), t.attempt = j.attempt, t.intent_fence = NULL`,
      [rows],
    );
    await tx.query(
      `INSERT IGNORE INTO recipient_retries (campaign_id, seq, lane, due_at, attempt, intent_fence)
       SELECT STRAIGHT_JOIN j.campaign_id, j.seq, j.to_lane, UTC_TIMESTAMP(3), j.attempt, NULL
       FROM ${MOVES} JOIN campaign_lanes l ON ${OF_KEY}
       JOIN campaign_recipients r ON r.campaign_id = j.campaign_id AND r.seq = j.seq AND r.status IN (?)
       WHERE r.campaign_id IN (?)`,
      [rows, RETRIABLE, [...new Set(moves.map(({ campaignId }) => campaignId))]],
    );
    await this.record(tx, moves, 'INSERT IGNORE');
  }

  /** Call after the commit: notifies workers, and counts and logs what moved by itself. */
  publish(moved: readonly LaneMove[], cause: MoveCause): void {
    const groups = new Map<string, LaneMove[]>();
    for (const move of moved) {
      const key = `${move.channel} ${move.from} ${move.to}`;
      groups.set(key, [...(groups.get(key) ?? []), move]);
    }
    for (const group of groups.values()) {
      const { channel, from, to, reason } = group[0] as LaneMove;
      if (cause !== 'staff') {
        this.counter.inc({ channel }, group.length);
        const facts = { from, to, [cause === 'refused' ? 'recipients' : 'lanes']: group.length, reason };
        if (cause === 'refused') this.logger.log(facts, 'refused, handed to another route');
        else this.logger.warn(facts, 'lanes were handed to another route');
      }
      for (const single of new Set(group.map((move) => move.single))) {
        this.relay.notify([{ channel, routeId: to, single }]);
      }
    }
  }

  /** @param condition SQL over `l`, the lane they move to; it is missing before the first recipient moves there */
  private async checkSoon(tx: EntityManager, rows: QuotedText, condition: string): Promise<void> {
    await tx.query(
      `UPDATE ${MOVES} STRAIGHT_JOIN campaigns c FORCE INDEX (PRIMARY) ON c.id = j.campaign_id
         LEFT JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON l.campaign_id = j.campaign_id AND l.lane = j.to_lane
       SET c.overdue_check_at = LEAST(c.overdue_check_at, UTC_TIMESTAMP(3) + INTERVAL ${CHECKED_WITHIN_S} SECOND)
       WHERE ${condition}`,
      [rows],
    );
  }

  /** For timelines, and so that nothing returns to a route that refused it. */
  private async record(tx: EntityManager, moves: readonly Move[], insert: 'INSERT' | 'INSERT IGNORE'): Promise<void> {
    await tx.query(
      `${insert} INTO route_changes (campaign_id, lane, seq, fence, to_lane, from_seq, at, from_route, to_route, reason)
       SELECT STRAIGHT_JOIN j.campaign_id, j.lane, j.seq, j.fence, j.to_lane, IF(j.seq = 0, l.next_seq, j.seq), UTC_TIMESTAMP(3),
         j.from_route, j.to_route, j.reason
       FROM ${MOVES} JOIN campaign_lanes l ON ${OF_KEY}`,
      [rowsOf(moves, heldFence)],
    );
  }
}
