import type { CampaignBrief } from '../state/campaign-briefs.js';
import type { EndedAttempt, RetryPlan } from '../settle/attempts.js';
import { keyOf } from '../state/recipient-key.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { KnownRecipients } from '../settle/recipient-change.js';
import type { NextAttempt } from '../settle/retry-store.js';
import { type MatchedReceipt, STATUS_OF_RECEIPT } from './receipt-change.js';

/** A campaign whose channel makes several attempts. */
export type RetriedCampaign = RetryPlan & Pick<CampaignBrief, 'channel'>;

/** A receipt of a channel that makes several attempts; `item.item` counts the attempts from 0. */
export interface AttemptReceipt extends MatchedReceipt {
  campaign: RetriedCampaign;
}

const IN_VAIN: ReadonlySet<RecipientStatus> = new Set([
  RecipientStatus.NoAnswer,
  RecipientStatus.Busy,
  RecipientStatus.Failed,
]);

/**
 * The receipts that count (reference/engine#attempts-in-vain): of the attempt that is under way, one a recipient, the outcome of the attempt rather than its
 * ringing. While the next attempt waits, none counts; a receipt of an older attempt goes into the attempt log alone.
 */
export function currentAttempts(receipts: readonly AttemptReceipt[], locked: KnownRecipients): AttemptReceipt[] {
  const current = new Map<string, AttemptReceipt>();
  for (const entry of receipts) {
    const place = keyOf(entry.item);
    const recipient = locked.get(place);
    if (!recipient || recipient.status === RecipientStatus.Retrying) continue;
    if (entry.item.item < recipient.attempts - 1) continue;
    const known = current.get(place);
    if (!known || known.receipt.status === 'submitted') current.set(place, entry);
  }
  return [...current.values()];
}

/** True for an attempt in vain after which another one may follow. */
export const wantsAnother = ({ receipt, item, campaign }: AttemptReceipt): boolean =>
  IN_VAIN.has(STATUS_OF_RECEIPT[receipt.status]) && item.item < campaign.retries;

/** @param lane of the recipient, by which its next attempt leaves too */
export const nextAttempt = ({ receipt, item, campaign }: AttemptReceipt, lane: number): NextAttempt => ({
  campaignId: item.campaignId,
  seq: item.seq,
  lane,
  delayMs: campaign.intervalMs,
  lastStatus: STATUS_OF_RECEIPT[receipt.status],
});

/** What the attempt log takes of a receipt; empty while the attempt goes on. */
export function endedAttempt({ receipt, item }: AttemptReceipt): EndedAttempt[] {
  const status = STATUS_OF_RECEIPT[receipt.status];
  if (status === RecipientStatus.Submitted) return [];
  const { providerMessageId, errorCode, errorText, durationSeconds = 0 } = receipt;
  const attempt = { campaignId: item.campaignId, seq: item.seq, attempt: item.item + 1, providerMessageId };
  return [{ ...attempt, status, errorCode, errorText, durationSeconds }];
}
