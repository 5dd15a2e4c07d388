import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows } from '../../../platform/database/index.js';
import { type BalanceName, CreditBook } from '../../credits/index.js';
import { RecipientStatus } from '../state/recipient-status.js';
import type { RecipientMove } from './recipient-change.js';

interface CampaignMoney {
  id: number;
  account_id: number;
  request_id: string;
  balance: string;
  unit_credits: number;
  refund_failed: number | null;
}

/** Gives back what recipients were charged, once: their status moves once, and the refund goes with it. */
@Injectable()
export class Refunds {
  constructor(private readonly credits: CreditBook) {}

  /** Credits of recipients that never left, and of carrier failures where the account has `refund_failed`. */
  async book(tx: EntityManager, moves: readonly RecipientMove[]): Promise<void> {
    const ids = new Set(
      moves.filter(({ refund, to }) => refund || to === RecipientStatus.Failed).map(({ campaignId }) => campaignId),
    );
    if (ids.size === 0) return;
    const campaigns: CampaignMoney[] = await tx.query(
      `SELECT c.id, c.account_id, c.request_id, c.balance, c.unit_credits, a.refund_failed
       FROM campaigns c LEFT JOIN accounts a ON a.id = c.account_id
       WHERE c.id IN (?) AND c.unit_credits > 0 ORDER BY c.account_id, c.balance, c.id`,
      [[...ids]],
    );
    for (const campaign of campaigns) {
      const refunded = moves.filter(
        ({ campaignId, refund, to }) =>
          campaignId === campaign.id && (refund || (campaign.refund_failed === 1 && to === RecipientStatus.Failed)),
      );
      if (refunded.length > 0) await this.refund(tx, campaign, refunded);
    }
  }

  private async refund(tx: EntityManager, campaign: CampaignMoney, refunded: readonly RecipientMove[]): Promise<void> {
    const recipients = refunded.length;
    const amount = recipients * campaign.unit_credits;
    await this.mark(tx, refunded);
    await tx.query('UPDATE campaigns SET refunded_credits = refunded_credits + ? WHERE id = ?', [amount, campaign.id]);
    const balance = campaign.balance as BalanceName;
    const note = `${recipients} recipients`;
    await this.credits.refund(tx, campaign.account_id, balance, amount, campaign.request_id, note);
  }

  /** For the timeline. The status of a cancelled recipient says that it was refunded; only failures need a mark. */
  private async mark(tx: EntityManager, refunded: readonly RecipientMove[]): Promise<void> {
    const failed = refunded.filter(({ to }) => to === RecipientStatus.Failed);
    if (failed.length === 0) return;
    await tx.query(
      `UPDATE campaign_recipients r JOIN JSON_TABLE(?, '$[*]' COLUMNS (
         campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j ON r.campaign_id = j.campaign_id AND r.seq = j.seq
       SET r.refunded = 1`,
      [jsonRows(failed.map(({ campaignId, seq }) => [campaignId, seq]))],
    );
  }
}
