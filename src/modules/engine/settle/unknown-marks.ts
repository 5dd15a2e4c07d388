import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { DueRecipient } from './attempts.js';
import { inLockOrder } from '../state/recipient-key.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { heldFence, type LaneTurn } from '../dispatch/lane-turn.js';
import type { RetryStore } from './retry-store.js';
import type { RecipientChange, RecipientMove } from './recipient-change.js';
import type { Settlement } from './settlement.js';

/** A recipient of a turn. */
export interface TurnRecipient {
  turn: Pick<LaneTurn, 'campaignId' | 'lane' | 'fence'>;
  seq: number;
}

/** Rows of recipients by key, in the order in which they are locked. */
const byKey = (recipients: readonly TurnRecipient[]): [campaignId: number, seq: number][] =>
  recipients
    .map(({ turn: { campaignId }, seq }) => ({ campaignId, seq }))
    .sort(inLockOrder)
    .map(({ campaignId, seq }) => [campaignId, seq]);

const KEYS = `JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j`;

/**
 * Marks recipients whose outcome is unknown. The list is for receipts of unknown ids, and ends with the deadline; the
 * mark on the recipient stays for good.
 * @param lost the claims of a worker that was taken for dead, where the windows are not sent again: see `takeBack`
 */
export async function markUnknown(tx: EntityManager, recipients: readonly DueRecipient[], lost = false): Promise<void> {
  if (recipients.length === 0) return;
  await tx.query(
    `UPDATE ${KEYS} STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
     SET r.outcome_unknown = 1`,
    [jsonRows(byKey(recipients))],
  );
  await tx.query(
    `INSERT IGNORE INTO unknown_outcomes (campaign_id, seq, route_id, receiver, created_at, lost_fence, lost_claim, lost_lane)
     SELECT j.campaign_id, j.seq, j.route_id, j.receiver, UTC_TIMESTAMP(3), j.lost_fence, j.lost_claim, j.lost_lane FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', route_id INT PATH '$[2]',
       receiver VARCHAR(32) CHARACTER SET ascii PATH '$[3]', lost_fence BIGINT PATH '$[4]',
       lost_claim BIGINT PATH '$[5]', lost_lane INT PATH '$[6]')) j`,
    [
      jsonRows(
        recipients.map(({ turn, seq, number }) => [
          turn.campaignId,
          seq,
          turn.routeId,
          number,
          lost ? turn.fence : null,
          lost ? turn.claimId : null,
          lost ? turn.lane : null,
        ]),
      ),
    ],
  );
}

/**
 * A worker that was cut off for longer than its lease was taken for dead, and what it held for unknown. What it says has
 * never left waits for its first try again, and is refunded like any other if that never comes. Where a second copy may
 * have left meanwhile, no recipient is taken back.
 * @param recipients of the worker's turns, what it knows has never left
 * @returns who was taken back
 */
export async function takeBack(
  tx: EntityManager,
  settlement: Settlement,
  retries: RetryStore,
  recipients: readonly TurnRecipient[],
): Promise<RecipientMove[]> {
  if (recipients.length === 0) return [];
  const lanes = new Map<string, TurnRecipient['turn']>();
  for (const { turn, seq } of recipients) lanes.set(`${turn.campaignId} ${seq}`, turn);
  const lost: { campaignId: number; seq: number }[] = await tx.query(
    `SELECT STRAIGHT_JOIN u.campaign_id AS campaignId, u.seq FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]', fence BIGINT PATH '$[2]')) j
     JOIN unknown_outcomes u ON u.campaign_id = j.campaign_id AND u.seq = j.seq AND u.lost_fence = j.fence`,
    [jsonRows(recipients.map(({ turn, seq }) => [turn.campaignId, seq, heldFence(turn)]))],
  );
  const changes = lost.map(({ campaignId, seq }): RecipientChange => ({
    ...{ campaignId, seq, to: RecipientStatus.Pending, takenBack: true },
    ...{ errorCode: null, errorText: null, refund: false, attempted: true },
  }));
  const back = await settlement.settle(tx, changes);
  if (back.length === 0) return [];
  const own = jsonRows(back.map(({ campaignId, seq }) => [campaignId, seq]));
  await tx.query(
    `UPDATE ${KEYS} STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq SET r.outcome_unknown = 0`,
    [own],
  );
  await tx.query(
    `DELETE u FROM ${KEYS} STRAIGHT_JOIN unknown_outcomes u FORCE INDEX (PRIMARY) ON u.campaign_id = j.campaign_id AND u.seq = j.seq`,
    [own],
  );
  await retries.plan(
    tx,
    back.map(({ campaignId, seq }) => ({
      ...{ campaignId, seq, lane: lanes.get(`${campaignId} ${seq}`)?.lane ?? 0 },
      ...{ delayMs: 0, lastStatus: null },
    })),
  );
  return back;
}
