import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Traffic } from '../../traffic/index.js';
import { Channels } from '../channels.js';
import { RetryStore } from '../settle/retry-store.js';
import type { RecipientChange } from '../settle/recipient-change.js';
import { Settlement } from '../settle/settlement.js';
import type { EndedAttempt } from '../settle/attempts.js';
import { type CampaignBrief, CampaignBriefs } from '../state/campaign-briefs.js';
import { CampaignStates } from '../state/campaign-states.js';
import { keyOf } from '../state/recipient-key.js';
import { RecipientStatus } from '../state/recipient-status.js';
import { type AttemptReceipt, currentAttempts, endedAttempt, nextAttempt, wantsAnother } from './attempt-receipts.js';
import { countReceipts } from './counted-receipts.js';
import { judgeItems, lockItems, writeItems } from './message-items.js';
import { type MatchedReceipt, receiptChange } from './receipt-change.js';

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
    const messages = judgeItems(several, items);
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
