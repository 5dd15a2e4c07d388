import type { EntityManager } from 'typeorm';
import { jsonRows, type WriteResult } from '../../../platform/database/index.js';
import { type CampaignState, LANE_ACTION } from '../campaign.js';
import { heldFence, inLaneOrder, type LaneEnding, laneKey } from '../lanes.js';

/** What lanes want when their turns end. */
export interface LanesLeft {
  /** one of them has more to do at once; the others wait for their `wake_at` */
  more: boolean;
  /** campaigns of lanes that are done, and gone; or that are not held any more */
  done: number[];
}

/** Another worker was faster. */
export class LaneTaken extends Error {}

export const NOTHING_ENDED: LanesLeft = { more: false, done: [] };

/** For `catch`. @throws anything but `LaneTaken` */
export function unlessTaken(error: unknown): LanesLeft {
  if (error instanceof LaneTaken) return NOTHING_ENDED;
  throw error;
}

/**
 * Lanes of a set, joined by key. The index is forced everywhere: the table is small, and a statement that scanned it would
 * wait for lanes of others.
 */
export const KEYS = `JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', lane INT PATH '$[1]', fence BIGINT PATH '$[2]',
  reached INT PATH '$[3]')) j`;
export const OF_KEY = 'l.campaign_id = j.campaign_id AND l.lane = j.lane AND l.fence = j.fence';

/**
 * Ends turns: position moved to the intent, lease given back, next wake decided; a lane that has nothing left goes. The
 * campaigns are read, not locked, once the lanes are written: every change of a campaign's state writes every lane too,
 * as does every retry that is planned, so one of both waits for the other, and on two nodes one of both is run again.
 * @param batches the lanes that end with each window
 * @returns what is left of each window
 * @throws LaneTaken where turns that must hold their lanes do not any more
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
      // Those that are not there: a run before this one, whose answer was lost, may have ended them.
      done: batch.flatMap(({ lane }, place) => (isStillOpen(of[place]) ? [] : [lane.campaignId])),
    };
  });
}

/** A window may have made lanes of its campaign while that was stopped: they are settled like those that the stop has found. */
async function settleStopped(tx: EntityManager, ended: readonly LeftRow[]): Promise<void> {
  const stopped = [
    ...new Set(ended.filter(({ state }) => LANE_ACTION[state] === 'refund').map((row) => row.campaign_id)),
  ];
  if (stopped.length === 0) return;
  // By the primary key: by the index of settle_at it would lock the lanes of all campaigns that never end by themselves.
  await tx.query(
    `UPDATE campaign_lanes FORCE INDEX (PRIMARY) SET settle_at = UTC_TIMESTAMP(3)
     WHERE campaign_id IN (?) AND settle_at IS NULL`,
    [stopped.sort((a, b) => a - b)],
  );
}

/** Removes lanes that have nothing left to do. */
export async function removeLanes(
  tx: EntityManager,
  lanes: readonly Pick<LeftRow, 'campaign_id' | 'lane' | 'fence'>[],
): Promise<void> {
  if (lanes.length === 0) return;
  await tx.query(`DELETE l FROM ${KEYS} STRAIGHT_JOIN campaign_lanes l FORCE INDEX (PRIMARY) ON ${OF_KEY}`, [
    jsonRows(lanes.map(({ campaign_id: id, lane, fence }) => [id, lane, fence])),
  ]);
}

/** What is left of a lane when its turn ends. */
interface LeftRow {
  campaign_id: number;
  lane: number;
  fence: number;
  state: CampaignState;
  unsent: number;
  /** of its next retry; null = none waits */
  due_at: Date | null;
  at: Date;
}

const isStillOpen = (row: LeftRow | undefined): boolean => row !== undefined && isOpen(row);

const isOpen = ({ unsent, due_at: dueAt }: LeftRow): boolean => Number(unsent) === 1 || dueAt !== null;

/** What a cancel or a rejection ends need not wait for its next try. */
function wantsMore({ state, unsent, due_at: dueAt, at }: LeftRow): boolean {
  const action = LANE_ACTION[state];
  return action !== 'wait' && (Number(unsent) === 1 || action === 'refund' || (dueAt !== null && dueAt <= at));
}

/** Microseconds until the next retry; null while the campaign is paused. */
const wakeIn = ({ state, due_at: dueAt, at }: LeftRow): number | null =>
  LANE_ACTION[state] === 'wait' || dueAt === null ? null : Math.max(0, dueAt.getTime() - at.getTime()) * 1_000;
