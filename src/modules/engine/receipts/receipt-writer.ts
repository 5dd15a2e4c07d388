import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { afterCommit, jsonRows, lockOnly } from '../../../platform/database/index.js';
import type { Receipt } from '../../providers/index.js';
import { Traffic, type TrafficOf } from '../../traffic/index.js';
import type { EndedAttempt, RetryPlan } from '../attempts.js';
import { Channels } from '../channels.js';
import { campaignsOf, firstSendDay, isFinal, keyOf, lowest, mayMove, RecipientStatus, toLock } from '../recipient.js';
import type { KnownRecipient, KnownRecipients, RecipientChange } from '../settle/recipient-change.js';
import { Settlement } from '../settle/settlement.js';
import { type CampaignBrief, CampaignBriefs } from '../state/campaign-briefs.js';
import { CampaignStates } from '../state/campaign-states.js';
import { type NextAttempt, RetryStore } from '../state/retries.js';
import type { KnownItem } from './receipt-lookup.js';

/** A receipt with the item that it is about. */
export interface MatchedReceipt {
  receipt: Receipt;
  item: KnownItem;
  /** as it was read without a lock; absent = it must be locked to be judged */
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

/** Outcomes of which the carrier's number says more. */
const WITH_REASON: ReadonlySet<Receipt['status']> = new Set(['failed', 'no_answer', 'busy']);

/** What a receipt does to its recipient. @param recipient as it was read, where that is enough to judge it by */
function receiptChange({ receipt, item }: MatchedReceipt, recipient?: KnownRecipient): RecipientChange {
  const withReason = WITH_REASON.has(receipt.status);
  return {
    campaignId: item.campaignId,
    seq: item.seq,
    to: STATUS_OF_RECEIPT[receipt.status],
    errorCode: withReason ? receipt.errorCode : null,
    errorText: withReason ? receipt.errorText : null,
    refund: false,
    attempted: false,
    durationSeconds: receipt.durationSeconds,
    routeId: item.routeId,
    recipient,
  };
}

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
const nextAttempt = ({ receipt, item, campaign }: AttemptReceipt, lane: number): NextAttempt => ({
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

/** Receipts of one route, account and channel. */
interface Group {
  of: TrafficOf;
  receipts: number;
  /** of those that may settle their recipient, milliseconds since the message left */
  delays: number[];
}

/** Counts the receipts of a batch for the statistics, once they have committed. */
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
      if (!campaign) continue;
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

/** An item as it stands, locked. Messages of several items (a text with attachments) have receipts for each of them. */
export interface LockedItem extends KnownItem {
  status: RecipientStatus;
}

/** All items of the recipients of these items, locked. */
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

/**
 * Writes all items of the recipients of which one has moved, the unmoved ones too: on another node of a cluster a receipt
 * of another item may be judged at the same moment, and one of the two must give way and look again.
 */
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

/**
 * A message of several items has failed if any failed; else it is as far as its slowest item
 * (reference/engine#recipient-statuses).
 * @param locked all items of these recipients, as they stood
 * @returns what becomes of the recipients, and the items to write
 */
export function priceItems(
  receipts: readonly MatchedReceipt[],
  locked: readonly LockedItem[],
): { changes: RecipientChange[]; items: LockedItem[] } {
  const messages = new Map<string, LockedItem[]>();
  for (const entry of locked) {
    const message = messages.get(keyOf(entry)) ?? [];
    messages.set(keyOf(entry), message);
    // Told by two workers on two sides of midnight, an item has a row of each day, and is as far as the further of them.
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
    const to = lowest([...statuses, ...missing]);
    const failed = to === RecipientStatus.Failed;
    // The receipt of the failed item brings the reason; it stands in this batch, or came before.
    if (failed && receipt.status !== 'failed') return [];
    return [{ ...receiptChange(matched), to, ...(failed ? {} : { errorCode: null, errorText: null }) }];
  });
  return { changes, items: [...messages].flatMap(([place, items]) => (moved.has(place) ? items : [])) };
}

/** A batch, sorted by how its receipts are judged. */
interface SortedReceipts {
  /** of channels that make several attempts */
  attempts: AttemptReceipt[];
  /** of messages of several items */
  several: MatchedReceipt[];
  /** of messages of one item: what the receipt says is the recipient's status */
  single: MatchedReceipt[];
}

/**
 * Writes a batch of receipts whose messages are known, in four steps: what is needed to judge them is gathered once, what
 * cannot be judged by what was read is locked once, all of them are judged, and what changes is written once.
 */
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
    // The only locks of the batch, in the order of every transaction (docs/decisions/0004): items, then recipients, by key.
    const items = await lockItems(tx, itemsOf(several));
    // What the status of one item says is judged by the recipient alone, so it is enough how that was read.
    const unread = single.filter(({ recipient }) => !recipient);
    const locked = await this.settlement.lock(tx, itemsOf([...attempts, ...several, ...unread]));
    const messages = priceItems(several, items);
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

  /** What was in vain is tried again while attempts are left and the campaign goes on; only the last outcome is final. */
  private async tryAgain(tx: EntityManager, current: readonly AttemptReceipt[]): Promise<Set<AttemptReceipt>> {
    const wanting = current.filter(wantsAnother);
    const open = await this.states.open(tx, [...new Set(wanting.map(({ item }) => item.campaignId))]);
    return new Set(wanting.filter(({ item }) => open.has(item.campaignId)));
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
