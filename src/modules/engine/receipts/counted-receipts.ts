import type { EntityManager } from 'typeorm';
import { afterCommit } from '../../../platform/database/index.js';
import type { Traffic, TrafficOf } from '../../traffic/index.js';
import type { CampaignBrief } from '../state/campaign-briefs.js';
import { isFinal } from '../state/recipient-status.js';
import { type MatchedReceipt, STATUS_OF_RECEIPT } from './receipt-change.js';

/** Receipts of one route, account and channel. */
interface Group {
  of: TrafficOf;
  receipts: number;
  /** of those that may settle their recipient, milliseconds since the message left */
  delays: number[];
}

/** Counts the receipts of a batch for the statistics, once they have committed. */
export function countReceipts(
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
