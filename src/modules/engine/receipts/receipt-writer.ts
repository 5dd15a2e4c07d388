import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { afterCommit, jsonRows, lockOnly } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { Traffic, type TrafficOf } from '../../traffic/index.js';
import type { EndedAttempt, RetryPlan } from '../attempts.js';
import type { PricedMessage } from '../channel.js';
import { Channels } from '../channels.js';
import { campaignsOf, firstSendDay, isFinal, keyOf, lowest, mayMove, RecipientStatus, toLock } from '../recipient.js';
import type { KnownRecipient, KnownRecipients, RecipientChange } from '../settle/recipient-change.js';
import { Settlement } from '../settle/settlement.js';
import { type CampaignBrief, CampaignBriefs } from '../state/campaign-briefs.js';
import { CampaignStates } from '../state/campaign-states.js';
import { type NextAttempt, RetryStore } from '../state/retries.js';
import type { KnownItem } from './receipt-lookup.js';

export interface MatchedReceipt {
  receipt: Receipt;
  item: KnownItem;
  /** as read without a lock; absent = must be locked first */
  recipient?: KnownRecipient | undefined;
}

const STATUS_OF_RECEIPT: Readonly<Record<Receipt['status'], RecipientStatus>> = {
  submitted: RecipientStatus.Submitted,
  delivered: RecipientStatus.Delivered,
  read: RecipientStatus.Read,
  failed: RecipientStatus.Failed,
  answered: RecipientStatus.Answered,
  no_answer: RecipientStatus.NoAnswer,
  busy: RecipientStatus.Busy,
};

const WITH_REASON: ReadonlySet<Receipt['status']> = new Set(['failed', 'no_answer', 'busy']);

/** The change by a receipt. @param recipient as read without a lock, if that suffices */
function receiptChange({ receipt, item }: MatchedReceipt, recipient?: KnownRecipient): RecipientChange {
  const withReason = WITH_REASON.has(receipt.status);
  return {
    campaignId: item.campaignId,
    seq: item.seq,
    to: STATUS_OF_RECEIPT[receipt.status],
    errorCode: withReason ? receipt.errorCode : null,
    errorText: withReason ? receipt.errorText : null,
    carrierCode: withReason ? receipt.carrierCode : undefined,
    refund: false,
    attempted: false,
    durationSeconds: receipt.durationSeconds,
    routeId: item.routeId,
    recipient,
  };
}

export type RetriedCampaign = RetryPlan & Pick<CampaignBrief, 'channel'>;

export interface AttemptReceipt extends MatchedReceipt {
  campaign: RetriedCampaign;
}

const IN_VAIN: ReadonlySet<RecipientStatus> = new Set([
  RecipientStatus.NoAnswer,
  RecipientStatus.Busy,
  RecipientStatus.Failed,
]);

/**
 * Receipts that count (reference/engine#further-attempts): one per recipient, of its current attempt, the outcome rather than
 * ringing. Others only go to the attempt log.
 */
export function currentAttempts(receipts: readonly AttemptReceipt[], locked: KnownRecipients): AttemptReceipt[] {
  const current = new Map<string, AttemptReceipt>();
  for (const entry of receipts) {
    const key = keyOf(entry.item);
    const recipient = locked.get(key);
    if (!recipient || recipient.status === RecipientStatus.Retrying) continue;
    if (entry.item.item < recipient.attempts - 1) continue;
    const known = current.get(key);
    if (!known || known.receipt.status === 'submitted') current.set(key, entry);
  }
  return [...current.values()];
}

/** Whether the attempt failed and another may follow. */
export const wantsAnother = ({ receipt, item, campaign }: AttemptReceipt): boolean =>
  IN_VAIN.has(STATUS_OF_RECEIPT[receipt.status]) && item.item < campaign.retries;

/** @param lane of the recipient and its next attempt */
const nextAttempt = ({ receipt, item, campaign }: AttemptReceipt, lane: number): NextAttempt => ({
  campaignId: item.campaignId,
  seq: item.seq,
  lane,
  delayMs: campaign.intervalMs,
  lastStatus: STATUS_OF_RECEIPT[receipt.status],
});

/** The attempt log's entry of a receipt; empty while the attempt goes on. */
export function endedAttempt({ receipt, item }: AttemptReceipt): EndedAttempt[] {
  const status = STATUS_OF_RECEIPT[receipt.status];
  if (status === RecipientStatus.Submitted) return [];
  const { providerMessageId, errorCode, errorText, durationSeconds = 0 } = receipt;
  const attempt = { campaignId: item.campaignId, seq: item.seq, attempt: item.item + 1, providerMessageId };
  return [{ ...attempt, status, errorCode, errorText, durationSeconds }];
}

interface Group {
  of: TrafficOf;
  receipts: number;
  delays: number[];
}

/** Counts receipts for the statistics after the commit. */
function countReceipts(
  tx: EntityManager,
  traffic: Traffic,
  matched: readonly MatchedReceipt[],
  campaigns: ReadonlyMap<number, CampaignBrief>,
): void {
  if (!traffic.isCounting) return;
  afterCommit(tx, () => {
    const groups = new Map<string, Group>();
    for (const { receipt, item, recipient } of matched) {
      const campaign = campaigns.get(item.campaignId);
      if (!campaign || campaign.isTest) continue;
      const { accountId, channel } = campaign;
      const routeId = item.routeId ?? null;
      const key = `${routeId} ${accountId} ${channel}`;
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { of: { routeId, accountId, channel }, receipts: 0, delays: [] }));
      group.receipts += 1;
      const settles = isFinal(STATUS_OF_RECEIPT[receipt.status]) && !(recipient && isFinal(recipient.status));
      if (settles && typeof item.ageMs === 'number') group.delays.push(Math.max(0, item.ageMs));
    }
    for (const { of, receipts, delays } of groups.values()) {
      traffic.count(of, 'receipts', receipts);
      traffic.delays(of, delays);
    }
  });
}

/** A locked item; each item of a message (text, attachments) has its own receipts. */
export interface LockedItem extends KnownItem {
  status: RecipientStatus;
}

async function lockItems(tx: EntityManager, items: readonly KnownItem[]): Promise<LockedItem[]> {
  if (items.length === 0) return [];
  return tx.query(
    `SELECT STRAIGHT_JOIN m.campaign_id AS campaignId, m.seq, m.item, m.items, m.status FROM JSON_TABLE(?, '$[*]' COLUMNS (
       campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
     JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq AND m.sent_on >= ?
     ${lockOnly('m')}`,
    [jsonRows(toLock(items)), firstSendDay(campaignsOf(items))],
  );
}

/** Writes all items of changed recipients: on another cluster node a concurrent receipt of a sibling must conflict. */
async function writeItems(tx: EntityManager, items: readonly LockedItem[]): Promise<void> {
  if (items.length === 0) return;
  await tx.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]',
       item INT PATH '$[2]', status INT PATH '$[3]')) j
     STRAIGHT_JOIN provider_messages m FORCE INDEX (PRIMARY) ON m.campaign_id = j.campaign_id AND m.seq = j.seq AND m.item = j.item
       AND m.sent_on >= ?
     SET m.status = j.status, m.receipts = m.receipts + 1`,
    [
      jsonRows(items.map(({ campaignId, seq, item, status }) => [campaignId, seq, item, status])),
      firstSendDay(campaignsOf(items)),
    ],
  );
}

const NO_REASON = { errorCode: null, errorText: null, carrierCode: undefined };

/** The message's status where the route says that one item decides; null = all of them do. */
function decided({ decidedBy, status }: Receipt, { item, items }: KnownItem): RecipientStatus | null {
  if (decidedBy === undefined) return null;
  const decides = decidedBy === 'any' || item === (decidedBy === 'first' ? 0 : items - 1);
  return decides ? STATUS_OF_RECEIPT[status] : RecipientStatus.Submitted;
}

/** Failed if any item failed, else the lowest (reference/engine#recipient-statuses). @param locked all of their items */
export function moveItems(
  receipts: readonly MatchedReceipt[],
  locked: readonly LockedItem[],
): { changes: RecipientChange[]; items: LockedItem[] } {
  const messages = new Map<string, LockedItem[]>();
  for (const entry of locked) {
    const message = messages.get(keyOf(entry)) ?? [];
    messages.set(keyOf(entry), message);
    // An item written by two workers around midnight has two rows; the further status counts.
    const same = message.find(({ item }) => item === entry.item);
    if (!same) message.push({ ...entry });
    else if (mayMove(same.status, entry.status)) same.status = entry.status;
  }
  const moved = new Set<string>();
  for (const { receipt, item } of receipts) {
    const to = STATUS_OF_RECEIPT[receipt.status];
    const entry = messages.get(keyOf(item))?.find((other) => other.item === item.item);
    if (!entry || !mayMove(entry.status, to)) continue;
    entry.status = to;
    moved.add(keyOf(item));
  }
  const changes = receipts.flatMap((matched): RecipientChange[] => {
    const { receipt, item } = matched;
    const statuses = (messages.get(keyOf(item)) ?? []).map(({ status }) => status);
    const missing = statuses.length < item.items ? [RecipientStatus.Submitted] : [];
    const to = decided(receipt, item) ?? lowest([...statuses, ...missing]);
    const failed = to === RecipientStatus.Failed;
    // The reason comes with the receipt of the failed item, in this batch or an earlier one.
    if (failed && receipt.status !== 'failed') return [];
    return [{ ...receiptChange(matched), to, ...(failed ? {} : NO_REASON) }];
  });
  return { changes, items: [...messages].flatMap(([key, items]) => (moved.has(key) ? items : [])) };
}

interface SortedReceipts {
  attempts: AttemptReceipt[];
  several: MatchedReceipt[];
  single: MatchedReceipt[];
}

/** Writes receipts of known messages: reads, locks, computes and writes once per batch. */
@Injectable()
export class ReceiptWriter {
  constructor(
    private readonly settlement: Settlement,
    private readonly states: CampaignStates,
    private readonly briefs: CampaignBriefs,
    private readonly retries: RetryStore,
    private readonly channels: Channels,
    private readonly traffic: Traffic,
  ) {}

  async write(tx: EntityManager, matched: readonly MatchedReceipt[]): Promise<void> {
    if (matched.length === 0) return;
    const campaigns = await this.briefs.of(
      tx,
      matched.map(({ item }) => item.campaignId),
    );
    countReceipts(tx, this.traffic, matched, campaigns);
    const { attempts, several, single } = sorted(matched, campaigns);
    // All locks of the batch in the global order (docs/decisions/0004): items, then recipients, by key.
    const items = await lockItems(tx, itemsOf(several));
    // Receipts of single items need no lock if the recipient was read.
    const unread = single.filter(({ recipient }) => !recipient);
    const locked = await this.settlement.lock(tx, itemsOf([...attempts, ...several, ...unread]));
    const messages = moveItems(several, items);
    await writeItems(tx, messages.items);
    await this.logAttempts(tx, attempts);
    const current = currentAttempts(attempts, locked);
    const again = await this.tryAgain(tx, current);
    const changes = [
      ...single.map((entry) => receiptChange(entry, entry.recipient)),
      ...messages.changes,
      ...current.map((entry): RecipientChange => {
        const change = receiptChange(entry);
        return again.has(entry) ? { ...change, to: RecipientStatus.Retrying } : change;
      }),
    ];
    const moved = await this.settlement.settle(tx, changes, locked);
    await this.keepPrices(tx, matched, campaigns);
    if (again.size === 0) return;
    const lanes = new Map(
      moved.flatMap(({ to, lane, ...at }) => (to === RecipientStatus.Retrying ? [[keyOf(at), lane] as const] : [])),
    );
    await this.retries.plan(
      tx,
      [...again].flatMap((entry) => {
        const lane = lanes.get(keyOf(entry.item));
        return lane === undefined ? [] : [nextAttempt(entry, lane)];
      }),
    );
  }

  /** Failed attempts that are retried: attempts are left and the campaign is not over. */
  private async tryAgain(tx: EntityManager, current: readonly AttemptReceipt[]): Promise<Set<AttemptReceipt>> {
    const wanting = current.filter(wantsAnother);
    const open = await this.states.open(tx, [...new Set(wanting.map(({ item }) => item.campaignId))]);
    return new Set(wanting.filter(({ item }) => open.has(item.campaignId)));
  }

  private async keepPrices(
    tx: EntityManager,
    matched: readonly MatchedReceipt[],
    campaigns: ReadonlyMap<number, CampaignBrief>,
  ): Promise<void> {
    const priced = new Map<string, PricedMessage[]>();
    for (const { receipt, item } of matched) {
      const campaign = receipt.pricing && campaigns.get(item.campaignId);
      if (!campaign || !receipt.pricing) continue;
      const { accountId, balance, channel } = campaign;
      const message = { campaignId: item.campaignId, seq: item.seq, accountId, balance, pricing: receipt.pricing };
      priced.set(channel, [...(priced.get(channel) ?? []), message]);
    }
    for (const [channel, messages] of priced) await this.channels.find(channel)?.priced?.(tx, messages);
  }

  private async logAttempts(tx: EntityManager, receipts: readonly AttemptReceipt[]): Promise<void> {
    const ended = new Map<string, EndedAttempt[]>();
    for (const entry of receipts) {
      const { channel } = entry.campaign;
      ended.set(channel, [...(ended.get(channel) ?? []), ...endedAttempt(entry)]);
    }
    for (const [channel, attempts] of ended) {
      if (attempts.length > 0) await this.channels.find(channel)?.attemptLog?.ended(tx, attempts);
    }
  }
}

function sorted(matched: readonly MatchedReceipt[], campaigns: ReadonlyMap<number, CampaignBrief>): SortedReceipts {
  const receipts: SortedReceipts = { attempts: [], several: [], single: [] };
  for (const entry of matched) {
    const campaign = campaigns.get(entry.item.campaignId);
    if (campaign?.retryPlan) receipts.attempts.push({ ...entry, campaign: { ...campaign, ...campaign.retryPlan } });
    else if (entry.item.items > 1) receipts.several.push(entry);
    else receipts.single.push(entry);
  }
  return receipts;
}

const itemsOf = (receipts: readonly MatchedReceipt[]) => receipts.map(({ item }) => item);
