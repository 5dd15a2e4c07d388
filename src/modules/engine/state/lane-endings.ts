import type { EntityManager } from 'typeorm';
import { jsonRows, type WriteResult } from '../../../platform/database/index.js';
import { type CampaignState, LANE_ACTION } from '../campaign.js';
import { heldFence, inLaneOrder, type LaneEnding, laneKey } from '../lanes.js';

export interface LanesLeft {
  /** a lane has more to do at once */
  more: boolean;
  /** campaigns of lanes that are finished, or no longer held */
  done: number[];
}

/** Another worker has claimed the lane. */
export class LaneTaken extends Error {}

export const NOTHING_ENDED: LanesLeft = { more: false, done: [] };

/** For `catch`: ignores `LaneTaken`, rethrows all else. */
export function unlessTaken(error: unknown): LanesLeft {
  if (error instanceof LaneTaken) return NOTHING_ENDED;
  throw error;
}

/** Forced index: the table is small, and a full scan would wait for other workers' locks. */
export const KEYS = `JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', fence BIGINT PATH '$[2]',
  reached INT PATH '$[3]')) j`;
export const OF_KEY = 'l.campaign_id = j.campaign_id AND l.lane = j.lane AND l.fence = j.fence';

/**
 * Ends batches: positions, leases, wake-up times; removes finished lanes. Campaigns are read without a lock after the lanes are
 * written: state changes and planned retries write the lanes too, so they conflict. @throws LaneTaken if `mustHold`
 */
export async function endLanes(
  tx: EntityManager,
  batches: readonly (readonly LaneEnding[])[],
  mustHold = false,
): Promise<LanesLeft[]> {
  const endings = batches.flat();
  if (endings.length === 0) return batches.map(() => NOTHING_ENDED);
  const rows = [...endings]
    .sort((a, b) => inLaneOrder(a.lane, b.lane))
    .map(({ lane, reached }) => [lane.campaignId, lane.lane, heldFence(lane), reached]);
  const { affectedRows }: WriteResult = await tx.query(
    `UPDATE ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
     SET l.next_seq = COALESCE(j.reached, l.intent_seq), l.intent_seq = COALESCE(j.reached, l.intent_seq),
       l.lease_until = NULL, l.wake_at = UTC_TIMESTAMP(3)`,
    [jsonRows(rows)],
  );
  if (mustHold && affectedRows < endings.length) throw new LaneTaken();
  const left = await tx.query<LeftRow[]>(
    `SELECT STRAIGHT_JOIN l.campaign_id, l.lane, l.fence, c.state, l.next_seq < l.end_seq AS unsent, (
         SELECT r.due_at FROM recipient_retries r WHERE r.campaign_id = j.campaign_id AND r.lane = j.lane
           AND r.intent_fence IS NULL
         ORDER BY r.campaign_id, r.lane, r.due_at LIMIT 1) AS due_at, UTC_TIMESTAMP(3) AS at
     FROM ${KEYS} JOIN campaign_lanes l ON ${OF_KEY} JOIN campaigns c ON c.id = l.campaign_id`,
    [jsonRows(rows)],
  );
  const done = left.filter((row) => !isOpen(row));
  const waiting = left.filter((row) => isOpen(row) && !wantsMore(row));
  await removeLanes(tx, done);
  await settleStopped(tx, left);
  if (waiting.length > 0) {
    await tx.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', fence BIGINT PATH '$[2]',
         wake_us BIGINT PATH '$[3]')) j STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}
       SET l.wake_at = UTC_TIMESTAMP(3) + INTERVAL j.wake_us MICROSECOND`,
      [jsonRows(waiting.map((row) => [row.campaign_id, row.lane, row.fence, wakeIn(row)]))],
    );
  }
  const there = new Map(left.map((row) => [`${row.campaign_id} ${row.lane} ${row.fence}`, row]));
  return batches.map((batch) => {
    const of = batch.map(({ lane }) => there.get(`${laneKey(lane)} ${heldFence(lane)}`));
    return {
      more: of.some((row) => row && isOpen(row) && wantsMore(row)),
      // Missing lanes: an earlier run whose answer was lost may have ended them.
      done: batch.flatMap(({ lane }, index) => (isStillOpen(of[index]) ? [] : [lane.campaignId])),
    };
  });
}

/** A batch may have created lanes after its campaign was stopped. */
async function settleStopped(tx: EntityManager, ended: readonly LeftRow[]): Promise<void> {
  const stopped = [
    ...new Set(ended.filter(({ state }) => LANE_ACTION[state] === 'refund').map((row) => row.campaign_id)),
  ];
  if (stopped.length === 0) return;
  // Primary key: the index of settle_at would lock lanes of all other campaigns.
  await tx.query(
    `UPDATE campaign_lanes FORCE INDEX (PRIMARY) SET settle_at = UTC_TIMESTAMP(3)
     WHERE campaign_id IN (?) AND settle_at IS NULL`,
    [stopped.sort((a, b) => a - b)],
  );
}

export async function removeLanes(
  tx: EntityManager,
  lanes: readonly Pick<LeftRow, 'campaign_id' | 'lane' | 'fence'>[],
): Promise<void> {
  if (lanes.length === 0) return;
  await tx.query(`DELETE l FROM ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}`, [
    jsonRows(lanes.map(({ campaign_id: id, lane, fence }) => [id, lane, fence])),
  ]);
}

interface LeftRow {
  campaign_id: number;
  lane: number;
  fence: number;
  state: CampaignState;
  unsent: number;
  due_at: Date | null;
  at: Date;
}

const isStillOpen = (row: LeftRow | undefined): boolean => row !== undefined && isOpen(row);

const isOpen = ({ unsent, due_at: dueAt }: LeftRow): boolean => Number(unsent) === 1 || dueAt !== null;

/** Cancel and rejection do not wait for the next retry. */
function wantsMore({ state, unsent, due_at: dueAt, at }: LeftRow): boolean {
  const action = LANE_ACTION[state];
  return action !== 'wait' && (Number(unsent) === 1 || action === 'refund' || (dueAt !== null && dueAt <= at));
}

const wakeIn = ({ state, due_at: dueAt, at }: LeftRow): number | null =>
  LANE_ACTION[state] === 'wait' || dueAt === null ? null : Math.max(0, dueAt.getTime() - at.getTime()) * 1_000;
