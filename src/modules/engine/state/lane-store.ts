import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit, ONE_TICK } from '../../../platform/concurrency/index.js';
import {
  again,
  inTransaction,
  jsonRows,
  type QuotedText,
  type WriteResult,
  type ClaimedAlongside,
  isFree,
} from '../../../platform/database/index.js';
import type { DueRoute } from '../../../platform/queues/index.js';
import type { DueRecipient } from '../attempts.js';
import { type CampaignState, statesThat } from '../campaign.js';
import {
  heldFence,
  inLaneOrder,
  isOneOfLanes,
  type LaneEnding,
  laneKey,
  type LaneKey,
  type LaneSnapshot,
} from '../lanes.js';
import { sqlStates } from './campaign-states.js';
import {
  claimLanes,
  type ClaimTerms,
  type LaneClaim,
  LEASED_LANES,
  newClaimId,
  pendingOf,
  takeLanes,
  type BatchClaim,
} from './lane-claims.js';
import { endLanes, KEYS, type LanesLeft, NOTHING_ENDED, OF_KEY, removeLanes } from './lane-endings.js';
import { OWN_KIND } from './own-variables.js';
import { dropRetriesOf, HAS_BEGUN_RETRIES } from './retries.js';

interface LaneRow {
  campaign_id: number;
  lane: number;
  fence: number;
  claim_id: number | null;
  next_seq: number;
  intent_seq: number;
  end_seq: number;
  route_id: number;
  single: number;
  state: CampaignState;
  is_test: number;
  channel: string;
  account_id: number;
  own_kinds: number;
  sender: string | null;
  content: string;
  late: LaneSnapshot['late'];
  waited_us: number | string;
  retries_due: number;
  retries_begun: number;
  stalled_us: string | null;
  moves: number;
}

/** Delay after a lane's own fault, so that others are served. */
const AFTER_FAULT_MS = 15_000;

const keysOf = (lanes: readonly LaneSnapshot[], fence: (lane: LaneSnapshot) => number): QuotedText =>
  jsonRows([...lanes].sort(inLaneOrder).map((lane) => [lane.campaignId, lane.lane, fence(lane)]));
const readFence = ({ fence }: LaneSnapshot): number => fence;

/** Lanes: position, lease and fence. `wake_at` is the next time of work (docs/decisions/0002): Redis may lose all data. */
@Injectable()
export class LaneStore {
  private readonly reads = new GroupCommit<readonly LaneKey[], LaneRow[]>((asked) => this.rowsOfEach(asked), {
    ...ONE_TICK,
    weigh: ({ length }) => length,
  });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Snapshots of free lanes, in the given order. Concurrent queries share a statement. */
  async snapshots(keys: readonly LaneKey[]): Promise<LaneSnapshot[]> {
    const rows = await this.reads.add(keys);
    return rows.map(toSnapshot);
  }

  private async rowsOfEach(asked: readonly (readonly LaneKey[])[]): Promise<LaneRow[][]> {
    const keys = asked.flat();
    if (keys.length === 0) return asked.map(() => []);
    const rows: LaneRow[] = await this.dataSource.query(
      `SELECT l.campaign_id, l.lane, l.fence, l.claim_id, l.next_seq, l.intent_seq, l.end_seq, l.channel, l.route_id, l.account_id,
         l.single, l.moves, c.state, c.is_test, c.own_kinds, c.sender, c.content,
         IF(c.late_at <= UTC_TIMESTAMP(3) AND c.overdue_check_at IS NULL, c.late, NULL) AS late,
         TIMESTAMPDIFF(MICROSECOND, COALESCE(c.scheduled_at, c.created_at), UTC_TIMESTAMP(3)) AS waited_us,
         TIMESTAMPDIFF(MICROSECOND, l.stalled_since, UTC_TIMESTAMP(3)) AS stalled_us,
         EXISTS (SELECT 1 FROM recipient_retries r WHERE r.campaign_id = l.campaign_id AND r.lane = l.lane
           AND r.intent_fence IS NULL AND r.due_at <= UTC_TIMESTAMP(3)) AS retries_due,
         ${HAS_BEGUN_RETRIES} AS retries_begun
       FROM campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       WHERE (${isOneOfLanes('l', keys)}) AND ${isFree('l')}`,
      keys.flatMap(({ campaignId, lane }) => [campaignId, lane]),
    );
    const found = new Map(rows.map((row) => [laneKey({ campaignId: row.campaign_id, lane: row.lane }), row]));
    return asked.map((own) => own.flatMap((key) => found.get(laneKey(key)) ?? []));
  }

  /** Takes leases and records intents before sending. @returns claimed lanes with their recipients */
  async claim(claims: readonly LaneClaim[], leaseMs: number, terms: ClaimTerms = {}): Promise<LaneClaim[]> {
    const [held = []] = await this.claimEach([{ id: newClaimId(), ...terms, claims }], leaseMs);
    return held;
  }

  /** As `claim`, for several batches with their own ids. @param begin starts campaigns with their first batch */
  claimEach(batches: readonly BatchClaim[], leaseMs: number, begin?: ClaimedAlongside): Promise<LaneClaim[][]> {
    return claimLanes(this.dataSource, batches, leaseMs, begin);
  }

  /** As `claim`, inside a transaction. @returns lanes that were free */
  async hold(tx: EntityManager, lanes: readonly LaneSnapshot[], leaseMs: number): Promise<LaneSnapshot[]> {
    const claims = lanes.map((lane) => ({ lane, intentSeq: lane.intentSeq, recipients: [] }));
    const [held = []] = await takeLanes(tx, [{ id: newClaimId(), claims }], leaseMs);
    return held.map(({ lane }) => lane);
  }

  /** Gives back a claim of unknown outcome, since nothing has left. The raised fence refuses a claim still in flight. */
  giveBack(lanes: readonly LaneSnapshot[], claimId: number): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const rows = jsonRows([...lanes].sort(inLaneOrder).map((lane) => [lane.campaignId, lane.lane, lane.fence]));
      await tx.query(
        `UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON l.campaign_id = j.campaign_id AND l.lane = j.lane
         SET l.fence = l.fence + 1, l.intent_seq = l.next_seq, l.lease_until = NULL, l.wake_at = UTC_TIMESTAMP(3)
         WHERE l.fence = j.fence + 1 AND l.claim_id = ? OR l.fence = j.fence AND ${isFree('l')}`,
        [rows, claimId],
      );
      await tx.query(
        `UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON l.campaign_id = j.campaign_id AND l.lane = j.lane
           AND l.fence = j.fence + 2 AND l.claim_id = ?
         STRAIGHT_JOIN recipient_retries t FORCE INDEX (ix_recipient_retries_due) ON t.campaign_id = j.campaign_id AND t.lane = j.lane
           AND t.intent_fence = j.fence + 1
         SET t.intent_fence = NULL`,
        [rows, claimId],
      );
    });
  }

  /** Renews leases; lanes given back stay free. */
  renew(lanes: readonly LaneSnapshot[], leaseMs: number): Promise<boolean> {
    const rows = lanes.map((lane) => ({ key: [lane.campaignId, lane.lane], fence: heldFence(lane) }));
    return LEASED_LANES.renewAll(this.dataSource, rows, leaseMs);
  }

  finishEach(tx: EntityManager, batches: readonly (readonly LaneEnding[])[], mustHold: boolean): Promise<LanesLeft[]> {
    return endLanes(tx, batches, mustHold);
  }

  async finish(tx: EntityManager, endings: readonly LaneEnding[]): Promise<LanesLeft> {
    const [left = NOTHING_ENDED] = await endLanes(tx, [endings]);
    return left;
  }

  /** Removes lanes of ended campaigns. */
  async drop(lanes: readonly LaneSnapshot[]): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await removeLanes(
        tx,
        lanes.map((lane) => ({ campaign_id: lane.campaignId, lane: lane.lane, fence: lane.fence })),
      );
      await dropRetriesOf(tx, lanes);
    });
  }

  /** Suspends lanes that a retry woke while their campaign is paused; resuming wakes them. */
  async sleep(lanes: readonly LaneSnapshot[]): Promise<void> {
    await this.dataSource.query(
      again(`UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY} STRAIGHT_JOIN campaigns c ON c.id = l.campaign_id
       SET l.wake_at = NULL WHERE c.state IN (${sqlStates(statesThat('wait'))})`),
      [keysOf(lanes, readFence)],
    );
  }

  /** Delays free lanes after a fault that may be their own. */
  async leaveAlone(lanes: readonly LaneSnapshot[]): Promise<void> {
    await this.dataSource.query(
      again(`UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
       SET l.wake_at = UTC_TIMESTAMP(3) + INTERVAL ${AFTER_FAULT_MS * 1_000} MICROSECOND,
         l.settle_at = IF(l.settle_at <= UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ${AFTER_FAULT_MS * 1_000} MICROSECOND, l.settle_at)
       WHERE ${isFree('l')}`),
      [keysOf(lanes, readFence)],
    );
  }

  /** Sets the next settlement. @param moments milliseconds from now; null = no validity */
  async settleLater(moments: readonly { lane: LaneSnapshot; inMs: number | null }[]): Promise<void> {
    const rows = [...moments]
      .sort((a, b) => inLaneOrder(a.lane, b.lane))
      .map(({ lane, inMs }) => [
        lane.campaignId,
        lane.lane,
        lane.fence,
        inMs === null ? null : Math.round(inMs * 1_000),
      ]);
    await this.dataSource.query(
      again(`UPDATE JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', fence BIGINT PATH '$[2]',
         in_us BIGINT PATH '$[3]')) j STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
       SET l.settle_at = UTC_TIMESTAMP(3) + INTERVAL j.in_us MICROSECOND WHERE ${isFree('l')}`),
      [jsonRows(rows)],
    );
  }

  /** Starts or stops the deadline of claimed lanes. */
  async markStalled(tx: EntityManager, lanes: readonly LaneSnapshot[], stalled: boolean): Promise<void> {
    if (lanes.length === 0) return;
    await tx.query(
      `UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY} SET l.stalled_since = ${stalled ? 'UTC_TIMESTAMP(3)' : 'NULL'}`,
      [keysOf(lanes, heldFence)],
    );
  }

  /** Starts the deadline of free lanes whose route is down. */
  async stallUnclaimed(lanes: readonly LaneSnapshot[]): Promise<void> {
    if (lanes.length === 0) return;
    await this.dataSource.query(
      again(`UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY} SET l.stalled_since = UTC_TIMESTAMP(3)
       WHERE l.stalled_since IS NULL AND ${isFree('l')}`),
      [keysOf(lanes, readFence)],
    );
  }

  /** Recipients of open batches of lost workers, which may have been sent. */
  intended(tx: EntityManager, lanes: readonly LaneSnapshot[]): Promise<DueRecipient[]> {
    const parts = lanes.map((lane) => ({ lane, from: lane.nextSeq, end: lane.intentSeq }));
    return pendingOf(tx, parts, { withoutRetries: true });
  }
}

const toSnapshot = (row: LaneRow): LaneSnapshot => ({
  campaignId: row.campaign_id,
  lane: row.lane,
  fence: row.fence,
  claimId: row.claim_id,
  nextSeq: row.next_seq,
  intentSeq: row.intent_seq,
  endSeq: row.end_seq,
  state: row.state,
  isTest: row.is_test === 1,
  channel: row.channel,
  accountId: row.account_id,
  routeId: row.route_id,
  single: row.single === 1,
  grouped: (row.own_kinds & OWN_KIND.routes) !== 0,
  ownSenders: (row.own_kinds & OWN_KIND.senders) !== 0,
  ownVariables: (row.own_kinds & OWN_KIND.variables) !== 0,
  sender: row.sender,
  content: JSON.parse(row.content) as Record<string, unknown>,
  late: row.late,
  waitingSince: performance.now() - Number(row.waited_us) / 1_000,
  retriesDue: Number(row.retries_due) === 1,
  retriesBegun: Number(row.retries_begun) === 1,
  stalledMs: row.stalled_us === null ? null : Number(row.stalled_us) / 1_000,
  moves: row.moves,
});

export interface WokenLanes {
  state: CampaignState;
  lanes: number;
  due: DueRoute[];
}

const SEND = sqlStates(statesThat('send'));
const REFUND = sqlStates(statesThat('refund'));

/** Wakes lanes on request of an operator. */
@Injectable()
export class LaneWake {
  /** Wakes free lanes that have work, except before the schedule or while paused. Null = unknown campaign. */
  async wake(tx: EntityManager, requestId: string): Promise<WokenLanes | null> {
    const [campaign] = await tx.query<{ id: number; state: CampaignState }[]>(
      'SELECT id, state FROM campaigns WHERE request_id = ?',
      [requestId],
    );
    if (!campaign) return null;
    const result: WriteResult = await tx.query(
      `UPDATE campaign_lanes l JOIN campaigns c ON c.id = l.campaign_id
       SET l.wake_at = UTC_TIMESTAMP(3), l.fence = l.fence + 1,
         l.settle_at = IF(c.state IN (${REFUND}), UTC_TIMESTAMP(3), l.settle_at)
       WHERE l.campaign_id = ? AND ${isFree('l')}
         AND (c.state IN (${REFUND})
           OR c.state IN (${SEND}) AND COALESCE(c.scheduled_at <= UTC_TIMESTAMP(3), TRUE))
         AND (l.next_seq < l.end_seq OR EXISTS (
           SELECT 1 FROM recipient_retries r WHERE r.campaign_id = l.campaign_id AND r.lane = l.lane
             AND (r.due_at <= UTC_TIMESTAMP(3) OR c.state IN (${REFUND}))))`,
      [campaign.id],
    );
    const due = await tx.query<DueRoute[]>(
      'SELECT DISTINCT channel, route_id AS routeId FROM campaign_lanes WHERE campaign_id = ?',
      [campaign.id],
    );
    return { state: campaign.state, lanes: result.affectedRows, due };
  }
}
