import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction, jsonRows } from '../../../platform/database/index.js';
import { statesThat } from '../campaign.js';
import { heldFence } from '../lanes.js';
import { sqlStates } from '../state/campaign-states.js';
import { KEYS, OF_KEY } from '../state/lane-endings.js';
import { IS_MOVABLE, type LaneMove, LaneMoves } from '../state/lane-moves.js';
import type { FencedLane } from '../state/retries.js';
import { sqlWaitingIn } from '../state/route-queues.js';

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

const IS_OPEN = `c.state IN (${sqlStates([...statesThat('send'), ...statesThat('wait')])})`;

/** Moves waiting lanes between routes for staff, in bounded transactions, as in a failover (docs/decisions/0034). */
@Injectable()
export class RouteMoves {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lanes: LaneMoves,
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
    const wanted = found.map((lane): LaneMove => ({ ...lane, single: Number(lane.single) === 1, from, to, reason }));
    const done = await inTransaction(this.dataSource, async (tx) => {
      const moved = await this.lanes.moveLanes(tx, wanted, 'staff');
      const part = { lanes: moved.length, recipients: await this.waitingIn(tx, moved) };
      if (moved.length > 0) await alongside(tx, part);
      return { moved, part };
    });
    this.lanes.publish(done.moved, 'staff');
    return done.part;
  }

  private async waitingIn(tx: EntityManager, moved: readonly LaneMove[]): Promise<number> {
    if (moved.length === 0) return 0;
    const rows = jsonRows(moved.map((move) => [move.campaignId, move.lane, heldFence(move)]));
    const [row] = await tx.query<[{ waiting: string }]>(
      `SELECT STRAIGHT_JOIN SUM(${sqlWaitingIn('l')}) AS waiting FROM ${KEYS} JOIN campaign_lanes l ON ${OF_KEY} LIMIT 1`,
      [rows],
    );
    return Number(row.waiting);
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
