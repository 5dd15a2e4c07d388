import { randomBytes } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { inTransaction, type WrittenRow } from '../../../platform/database/index.js';
import { type ClaimedAlongside, LeasedTable } from '../../../platform/leases/index.js';
import type { DueRecipient } from '../settle/attempts.js';
import { beginRetries, begunRetries, dropRetries } from '../settle/retry-store.js';
import { withVariables } from './lane-recipients.js';
import { heldFence, type LaneKey, type LaneTurn } from './lane-turn.js';

/** A lane that is to be claimed. */
export interface LaneClaim {
  turn: LaneTurn;
  /** the end of the part that may leave from now on */
  intentSeq: number;
  /** who that is; retries that are due are read with the claim */
  recipients: readonly DueRecipient[];
}

/** What a claim brings besides the lease. */
export interface ClaimTerms {
  /** names this claim, so that its maker can give it back when its answer was lost; see `newClaimId` */
  id?: number;
  /** most retries of a lane that are begun */
  mostRetries?: number;
  /** retries are begun whether or not they are due: nothing of the lanes leaves any more */
  beforeDue?: boolean;
  /** retries of unknown outcome may be made again; else they go */
  deduplicated?: boolean;
}

/** The lanes of a window, which are to be claimed under one id. */
export interface WindowClaim extends ClaimTerms {
  id: number;
  claims: readonly LaneClaim[];
}

/** 48 random bits: no two processes take the same. */
export const newClaimId = (): number => randomBytes(6).readUIntBE(0, 6);

/** A lane wakes when its lease is over: the worker that held it is gone by then. */
export const LEASED_LANES = new LeasedTable({
  table: 'campaign_lanes',
  key: ['campaign_id', 'lane'],
  moved: ['wake_at'],
});
const keyOf = ({ campaignId, lane }: LaneKey) => ({ campaign_id: campaignId, lane });

/** See `LaneStore.claimEach`. */
export async function claimLanes(
  dataSource: DataSource,
  windows: readonly WindowClaim[],
  leaseMs: number,
  begin?: ClaimedAlongside,
): Promise<LaneClaim[][]> {
  const retrying = windows.some(({ claims }) => claims.some(({ turn }) => turn.retriesDue));
  if (!retrying) return takeLanes(dataSource, windows, leaseMs, begin);
  const work = async (tx: EntityManager): Promise<LaneClaim[][]> => {
    const held = await takeLanes(tx, windows, leaseMs, begin);
    for (const [place, window] of windows.entries()) held[place] = await withRetries(tx, held[place] ?? [], window);
    return held;
  };
  // Where others were faster with all of them, nothing was written.
  const committed = (held: LaneClaim[][]): WrittenRow | null => {
    const place = held.findIndex(({ length }) => length > 0);
    const first = held[place]?.[0];
    const id = windows[place]?.id;
    return first && id !== undefined
      ? { table: 'campaign_lanes', where: { ...keyOf(first.turn), fence: heldFence(first.turn), claim_id: id } }
      : null;
  };
  return inTransaction(dataSource, work, { committed });
}

/** Takes the leases of those lanes that are free. @returns by window, those that no other worker was faster with */
export async function takeLanes(
  source: DataSource | EntityManager,
  windows: readonly WindowClaim[],
  leaseMs: number,
  begin?: ClaimedAlongside,
): Promise<LaneClaim[][]> {
  const rows = windows.flatMap(({ id, claims }) =>
    claims.map(({ turn, intentSeq }) => ({
      key: [turn.campaignId, turn.lane],
      fence: turn.fence,
      set: { claim_id: id, intent_seq: intentSeq },
    })),
  );
  const taken = await LEASED_LANES.claimAll(source, rows, leaseMs, 'claim_id', begin);
  let place = 0;
  return windows.map(({ claims }) => claims.filter(() => taken.has(place++)));
}

/** Begins the retries of a window's lanes that are due, and reads who that is. */
async function withRetries(
  tx: EntityManager,
  held: LaneClaim[],
  { claims, deduplicated = false, mostRetries = claims.length, beforeDue = false }: WindowClaim,
): Promise<LaneClaim[]> {
  const turns = held.flatMap(({ turn }) => (turn.retriesDue ? [turn] : []));
  if (turns.length === 0) return held;
  await beginRetries(tx, turns, { most: mostRetries, beforeDue });
  const begun = await begunRetries(tx, turns, { deduplicated });
  await dropRetries(tx, begun.leftOver);
  const recipients = await withVariables(tx, begun.recipients);
  return held.map((claim) =>
    claim.turn.retriesDue ? { ...claim, recipients: recipients.filter(({ turn }) => turn === claim.turn) } : claim,
  );
}
