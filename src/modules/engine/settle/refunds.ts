import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { CreditBook, type UsageShare, UsageTally } from '../../credits/index.js';
import type { CampaignBrief } from '../state/campaign-briefs.js';
import { campaignsOf } from '../state/recipient-key.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { RecipientMove } from './recipient-change.js';

/** What a campaign gets back. */
export interface Refund {
  campaignId: number;
  recipients: number;
  /** credits: the sum of what these recipients were charged */
  amount: number;
  campaign: CampaignBrief;
  /** the amount by calling code and sender */
  shares: readonly UsageShare[];
}

/** Gives back what recipients were charged, once: their status moves once, and the refund goes with it. */
@Injectable()
export class Refunds {
  constructor(private readonly credits: CreditBook) {}

  /**
   * Credits of recipients that never left, and of carrier failures where the account has `refund_failed`, each by the price
   * it was charged. Marks failures that are refunded.
   */
  async of(
    tx: EntityManager,
    moves: readonly RecipientMove[],
    campaigns: ReadonlyMap<number, CampaignBrief>,
  ): Promise<Refund[]> {
    const charged = moves.filter(({ credits, refund, to }) => credits > 0 && (refund || to === RecipientStatus.Failed));
    if (charged.length === 0) return [];
    const accountOf = ({ campaignId }: RecipientMove): number => campaigns.get(campaignId)?.accountId ?? 0;
    const generous = await this.generous(tx, charged.filter(({ refund }) => !refund).map(accountOf));
    const refunded = charged.filter((move) => move.refund || generous.has(accountOf(move)));
    await this.mark(tx, refunded);
    const refunds = new Map<number, Refund & { tally: UsageTally }>();
    for (const { campaignId, credits, number, sender } of refunded) {
      let refund = refunds.get(campaignId);
      if (!refund) {
        const campaign = campaigns.get(campaignId) as CampaignBrief;
        refund = { campaignId, campaign, recipients: 0, amount: 0, shares: [], tally: new UsageTally() };
        refunds.set(campaignId, refund);
      }
      refund.recipients += 1;
      refund.amount += credits;
      refund.tally.add(number, sender, credits);
    }
    return [...refunds.values()].map(({ tally, ...refund }) => ({ ...refund, shares: tally.shares }));
  }

  /** The balances are locked until the commit: the last step of a transaction. */
  async pay(tx: EntityManager, refunds: readonly Refund[]): Promise<void> {
    await this.credits.refund(
      tx,
      refunds.map(({ campaign: { accountId, balance, requestId, channel }, recipients, amount, shares }) => {
        const usage = { channel, shares };
        return { accountId, balance, requestId, amount, usage, note: `${recipients} recipients` };
      }),
    );
  }

  /** Those of these accounts that get their credits back for what a carrier could not deliver. */
  private async generous(tx: EntityManager, accountIds: readonly number[]): Promise<Set<number>> {
    if (accountIds.length === 0) return new Set();
    const rows: { id: number }[] = await tx.query('SELECT id FROM accounts WHERE id IN (?) AND refund_failed = 1', [
      [...new Set(accountIds)],
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /** For the timeline. The status of a cancelled recipient says that it was refunded; only failures need a mark. */
  private async mark(tx: EntityManager, refunded: readonly RecipientMove[]): Promise<void> {
    const failed = refunded.filter(({ to }) => to === RecipientStatus.Failed);
    if (failed.length === 0) return;
    await tx.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       STRAIGHT_JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
       SET r.refunded = 1 WHERE r.campaign_id IN (?)`,
      [jsonRows(failed.map(({ campaignId, seq }) => [campaignId, seq])), campaignsOf(failed)],
    );
  }
}
