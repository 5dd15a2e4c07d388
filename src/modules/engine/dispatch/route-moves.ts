import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, jsonRows, isFree } from '../../../platform/database/index.js';
import { RelayNotifier } from '../../../platform/queues/index.js';
import { statesThat } from '../campaign.js';
import { inLaneOrder } from '../lanes.js';
import { sqlStates } from '../state/campaign-states.js';
import { newClaimId } from '../state/lane-claims.js';
import { KEYS, OF_KEY, OF_MOVED_KEY } from '../state/lane-endings.js';
import { sqlWaitingIn } from '../state/route-queues.js';
import { dropInDoubtOf, type FencedLane, HAS_BEGUN_RETRIES } from '../state/retries.js';

/** A move by staff between routes of the same kind. */
export interface RouteMove {
  channels: readonly string[];
  from: number;
  to: number;
  /** null = all campaigns */
  campaignId: number | null;
  /** shown in timelines */
  reason: string;
}

export interface MovedLanes {
  lanes: number;
  recipients: number;
}

interface FoundLane extends FencedLane {
  channel: string;
  single: number;
}

/** Lanes per transaction. */
const AT_ONCE = 500;
/** Lanes with a lease become free between two batches. */
const AGAIN_MS = 100;
const PATIENCE_MS = 5_000;
const MOST_MS = 20_000;

const MOVES = `JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]',
  fence BIGINT PATH '$[2]')) j`;
/** No batch is open or in doubt. */
const IS_MOVABLE = `${isFree('l')} AND l.intent_seq <= l.next_seq AND NOT (${HAS_BEGUN_RETRIES})`;
const IS_OPEN = `c.state IN (${sqlStates([...statesThat('send'), ...statesThat('wait')])})`;

/** Moves waiting lanes between routes for staff, in bounded transactions, as in a failover (docs/decisions/0034). */
@Injectable()
export class RouteMoves {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly relay: RelayNotifier,
  ) {}

  /** Returns what was moved, and the number of lanes left. @param alongside further writes of each transaction */
  async move(
    move: RouteMove,
    alongside: (tx: EntityManager, moved: MovedLanes) => Promise<void>,
  ): Promise<{ moved: MovedLanes; left: number }> {
    const moved: MovedLanes = { lanes: 0, recipients: 0 };
    const started = performance.now();
    let movedAt = started;
    for (;;) {
      const found = await this.find(move);
      const part = found.length > 0 ? await this.moveSome(move, found, alongside) : null;
      moved.lanes += part?.lanes ?? 0;
      moved.recipients += part?.recipients ?? 0;
      const at = performance.now();
      if (part && part.lanes > 0) movedAt = at;
      const left = await this.countLeft(move);
      if (left === 0 || at - started > MOST_MS || at - movedAt > PATIENCE_MS) return { moved, left };
      if (!part || part.lanes === 0) await sleep(AGAIN_MS);
    }
  }

  private find(move: RouteMove): Promise<FoundLane[]> {
    const [where, values] = whereOf(move);
    return this.dataSource.query(
      `SELECT l.campaign_id AS campaignId, l.lane, l.fence, l.channel, l.single FROM ${where}
         AND ${IS_OPEN} AND ${IS_MOVABLE} LIMIT ${AT_ONCE}`,
      values,
    );
  }

  private async countLeft(move: RouteMove): Promise<number> {
    const [where, values] = whereOf(move);
    const [row] = await this.dataSource.query<[{ lanes: string }]>(
      `SELECT COUNT(*) AS lanes FROM (SELECT 1 FROM ${where} AND ${IS_OPEN} LIMIT 10000) x`,
      values,
    );
    return Number(row.lanes);
  }

  private async moveSome(
    { from, to, reason }: RouteMove,
    found: readonly FoundLane[],
    alongside: (tx: EntityManager, moved: MovedLanes) => Promise<void>,
  ): Promise<MovedLanes> {
    const lanes = [...found].sort(inLaneOrder);
    const rows = jsonRows(lanes.map(({ campaignId, lane, fence }) => [campaignId, lane, fence]));
    const part = await inTransaction(this.dataSource, async (tx) => {
      const id = newClaimId();
      await tx.query(
        `UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
         SET l.route_id = ?, l.fence = l.fence + 1, l.claim_id = ?, l.stalled_since = NULL
         WHERE l.route_id = ? AND ${IS_MOVABLE}`,
        [rows, to, id, from],
      );
      const taken: { n: number; waiting: string }[] = await tx.query(
        `SELECT STRAIGHT_JOIN j.n, ${sqlWaitingIn('l')} AS waiting FROM ${MOVES} JOIN campaign_lanes l ON ${OF_MOVED_KEY} LIMIT ?`,
        [rows, id, lanes.length],
      );
      const moved = {
        lanes: taken.length,
        recipients: taken.reduce((sum, { waiting }) => sum + Number(waiting), 0),
      };
      if (taken.length === 0) return moved;
      await dropInDoubtOf(
        tx,
        taken.flatMap(({ n }) => lanes[Number(n) - 1] ?? []),
      );
      await tx.query(
        `INSERT INTO route_changes (campaign_id, lane, seq, fence, to_lane, from_seq, at, from_route, to_route, reason)
         SELECT STRAIGHT_JOIN l.campaign_id, l.lane, 0, l.fence, l.lane, l.next_seq, UTC_TIMESTAMP(3), ?, ?, ?
         FROM ${MOVES} JOIN campaign_lanes l ON ${OF_MOVED_KEY}`,
        [from, to, reason, rows, id],
      );
      await alongside(tx, moved);
      return moved;
    });
    if (part.lanes > 0) {
      for (const channel of new Set(lanes.map((lane) => lane.channel))) this.relay.notify([{ channel, routeId: to }]);
    }
    return part;
  }
}

function whereOf({ channels, from, campaignId }: RouteMove): [string, unknown[]] {
  if (campaignId !== null) {
    return [
      'campaign_lanes l FORCE INDEX (PRIMARY) JOIN campaigns c ON c.id = l.campaign_id WHERE l.campaign_id = ? AND l.route_id = ?',
      [campaignId, from],
    ];
  }
  return [
    `campaign_lanes l FORCE INDEX (ix_campaign_lanes_route) JOIN campaigns c ON c.id = l.campaign_id
     WHERE l.channel IN (?) AND l.route_id = ? AND l.single IN (0, 1)`,
    [channels, from],
  ];
}
