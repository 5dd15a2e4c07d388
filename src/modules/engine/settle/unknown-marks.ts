import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { DueRecipient } from './attempts.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { LaneTurn } from '../dispatch/lane-store.js';
import type { RetryStore } from './retry-store.js';
import type { RecipientChange } from './recipient-change.js';
import type { Settlement } from './settlement.js';

/**
 * Marks recipients whose outcome is unknown. The list is for receipts of unknown ids, and ends with the deadline; the
 * mark on the recipient stays for good.
 * @param lostFence of the claim of a worker that was taken for dead, where the window is not sent again: see `takeBack`
 */
export async function markUnknown(
  tx: EntityManager,
  turn: LaneTurn,
  recipients: readonly DueRecipient[],
  lostFence: number | null = null,
): Promise<void> {
  if (recipients.length === 0) return;
  await tx.query(
    `UPDATE campaign_recipients r JOIN JSON_TABLE(?, '$[*]' COLUMNS (seq INT PATH '$')) j ON r.seq = j.seq
     SET r.outcome_unknown = 1 WHERE r.campaign_id = ?`,
    [jsonRows(recipients.map(({ seq }) => seq).sort((a, b) => a - b)), turn.campaignId],
  );
  await tx.query(
    `INSERT IGNORE INTO unknown_outcomes (campaign_id, seq, route_id, receiver, created_at, lost_fence)
     SELECT ?, j.seq, ?, j.receiver, UTC_TIMESTAMP(3), ? FROM JSON_TABLE(?, '$[*]' COLUMNS (
       seq INT PATH '$[0]', receiver VARCHAR(32) CHARACTER SET ascii PATH '$[1]')) j`,
    [turn.campaignId, turn.routeId, lostFence, jsonRows(recipients.map(({ seq, number }) => [seq, number]))],
  );
}

/**
 * A worker that was cut off for longer than its lease was taken for dead, and what it held for unknown. What it says has
 * never left waits for its first try again, and is refunded like any other if that never comes. Where a second copy may
 * have left meanwhile, no recipient is taken back.
 * @param seqs of the turn's recipients, what its worker knows has never left
 */
export async function takeBack(
  tx: EntityManager,
  settlement: Settlement,
  retries: RetryStore,
  { campaignId, lane, fence }: LaneTurn,
  seqs: readonly number[],
): Promise<void> {
  if (seqs.length === 0) return;
  const lost: { seq: number }[] = await tx.query(
    'SELECT seq FROM unknown_outcomes WHERE campaign_id = ? AND seq IN (?) AND lost_fence = ?',
    [campaignId, seqs, fence + 1],
  );
  const changes = lost.map(({ seq }): RecipientChange => ({
    ...{ campaignId, seq, to: RecipientStatus.Pending, takenBack: true },
    ...{ errorCode: null, errorText: null, refund: false, attempted: true },
  }));
  const back = (await settlement.settle(tx, changes)).map(({ seq }) => seq);
  if (back.length === 0) return;
  const own = [campaignId, back];
  await tx.query('UPDATE campaign_recipients SET outcome_unknown = 0 WHERE campaign_id = ? AND seq IN (?)', own);
  await tx.query('DELETE FROM unknown_outcomes WHERE campaign_id = ? AND seq IN (?)', own);
  await retries.plan(
    tx,
    back.map((seq) => ({ campaignId, seq, lane, delayMs: 0, lastStatus: null })),
  );
}
