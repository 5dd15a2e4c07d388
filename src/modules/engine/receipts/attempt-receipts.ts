import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { AttemptLogs } from '../attempt-logs.js';
import type { EndedAttempt } from '../settle/attempts.js';
import type { ChannelName } from '../state/campaign.js';
import { laneOf } from '../state/lanes.js';
import { CampaignStates } from '../state/campaign-states.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { KnownMessage } from './receipt-store.js';
import { placeKey, toLock } from '../state/recipient-order.js';
import { type RetriedCampaign } from '../settle/retry-plans.js';
import { type NextAttempt, RetryStore } from '../settle/retry-store.js';
import { type RecipientChange, Settlement } from '../settle/settlement.js';
import { receiptChange, STATUS_OF_RECEIPT } from './receipt-change.js';

/** A receipt of one attempt; `message.item` counts the attempts from 0. */
export interface AttemptReceipt {
  receipt: Receipt;
  message: KnownMessage;
  campaign: RetriedCampaign;
}

interface LockedRecipient {
  status: RecipientStatus;
  attempts: number;
}

const IN_VAIN: ReadonlySet<RecipientStatus> = new Set([
  RecipientStatus.NoAnswer,
  RecipientStatus.Busy,
  RecipientStatus.Failed,
]);

/**
 * Receipts of channels that make several attempts: what was in vain is planned again while attempts are left, and only the
 * last attempt's word is final (reference/engine#attempts-in-vain). A receipt of an older attempt goes into the journal
 * and changes nothing.
 */
@Injectable()
export class AttemptReceipts {
  constructor(
    private readonly settlement: Settlement,
    private readonly states: CampaignStates,
    private readonly retries: RetryStore,
    private readonly journals: AttemptLogs,
  ) {}

  async settle(tx: EntityManager, receipts: readonly AttemptReceipt[]): Promise<void> {
    if (receipts.length === 0) return;
    const recipients = await this.lock(tx, receipts);
    await this.keepJournals(tx, receipts);
    const current = latest(
      receipts.filter(({ message }) => {
        const recipient = recipients.get(placeKey(message));
        return recipient && isCurrent(message, recipient);
      }),
    );
    const wanting = current.filter(({ receipt, message, campaign }) => {
      return IN_VAIN.has(STATUS_OF_RECEIPT[receipt.status]) && message.item < campaign.retries;
    });
    const open = await this.states.open(tx, [...new Set(wanting.map(({ message }) => message.campaignId))]);
    const again = new Set(wanting.filter(({ message }) => open.has(message.campaignId)));
    const changes = current.map((entry): RecipientChange => {
      const change = receiptChange(entry.receipt, entry.message);
      return again.has(entry) ? { ...change, to: RecipientStatus.Retrying } : change;
    });
    const moved = await this.settlement.settle(tx, changes);
    const retrying = new Set(moved.filter(({ to }) => to === RecipientStatus.Retrying).map(placeKey));
    await this.retries.plan(tx, [...again].filter(({ message }) => retrying.has(placeKey(message))).map(nextAttempt));
  }

  private async lock(tx: EntityManager, receipts: readonly AttemptReceipt[]): Promise<Map<string, LockedRecipient>> {
    const rows: (LockedRecipient & { campaign_id: number; seq: number })[] = await tx.query(
      `SELECT STRAIGHT_JOIN r.campaign_id, r.seq, r.status, r.attempts FROM JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN campaign_recipients r ON r.campaign_id = j.campaign_id AND r.seq = j.seq FOR UPDATE`,
      [jsonRows(toLock(receipts.map(({ message }) => message)))],
    );
    return new Map(rows.map((row) => [placeKey({ campaignId: row.campaign_id, seq: row.seq }), row]));
  }

  private async keepJournals(tx: EntityManager, receipts: readonly AttemptReceipt[]): Promise<void> {
    const ended = new Map<ChannelName, EndedAttempt[]>();
    for (const { receipt, message, campaign } of receipts) {
      const status = STATUS_OF_RECEIPT[receipt.status];
      if (status === RecipientStatus.Submitted) continue;
      const attempts = ended.get(campaign.channel) ?? [];
      ended.set(campaign.channel, attempts);
      attempts.push({
        campaignId: message.campaignId,
        seq: message.seq,
        attempt: message.item + 1,
        providerMessageId: receipt.providerMessageId,
        status,
        errorCode: receipt.errorCode,
        errorText: receipt.errorText,
        durationSeconds: receipt.durationSeconds ?? 0,
      });
    }
    for (const [channel, attempts] of ended) await this.journals.of(channel)?.ended(tx, attempts);
  }
}

/** Of the attempt that is under way; while the next one waits there is none. */
const isCurrent = (message: KnownMessage, { status, attempts }: LockedRecipient): boolean =>
  status !== RecipientStatus.Retrying && message.item >= attempts - 1;

/** One receipt a recipient: the outcome of the attempt rather than its ringing. */
function latest(receipts: readonly AttemptReceipt[]): AttemptReceipt[] {
  const byRecipient = new Map<string, AttemptReceipt>();
  for (const entry of receipts) {
    const known = byRecipient.get(placeKey(entry.message));
    if (!known || known.receipt.status === 'submitted') byRecipient.set(placeKey(entry.message), entry);
  }
  return [...byRecipient.values()];
}

const nextAttempt = ({ receipt, message, campaign }: AttemptReceipt): NextAttempt => ({
  campaignId: message.campaignId,
  seq: message.seq,
  lane: laneOf(campaign.totalRows, message.seq),
  delayMs: campaign.intervalMs,
  lastStatus: STATUS_OF_RECEIPT[receipt.status],
});
