import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows, lockOnly } from '../../../platform/database/index.js';
import { CreditBook, type UsageShare, UsageTally } from '../../credits/index.js';
import { Traffic } from '../../traffic/index.js';
import { laneOf } from '../lanes.js';
import { campaignsOf, keyOf, type RecipientKey, RecipientStatus, toLock } from '../recipient.js';
import { type CampaignBrief, CampaignBriefs } from '../state/campaign-briefs.js';
import { CampaignStates } from '../state/campaign-states.js';
import { count, type CountedMove, countMoves } from './counters.js';
import {
  furthest,
  type KnownRecipient,
  type KnownRecipients,
  moveOf,
  type RecipientChange,
  type RecipientMove,
} from './recipient-change.js';
import { StatusEvents } from './status-events.js';
import { writeStatuses } from './status-writer.js';

/** What a campaign gets back. */
interface Refund {
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

interface TermsRow extends RecipientKey {
  laneGroup: number;
  credits: number | null;
  sender: string | null;
}

/**
 * The only writer of recipient statuses. In one transaction, and in the order of docs/decisions/0004: forward moves written
 * in bulk, counted by lane, campaigns told of lanes that ended and of what goes back, balances last.
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly briefs: CampaignBriefs,
    private readonly states: CampaignStates,
    private readonly refunds: Refunds,
    private readonly events: StatusEvents,
    private readonly traffic: Traffic,
  ) {}

  /**
   * @param changes any order; several for one recipient are taken as the furthest of them
   * @param known recipients that the caller has read, under a lock or without one; absent = those without one that a
   * change brings along are locked
   * @returns what really changed
   * @throws Outdated where a recipient is not as it was read without a lock; see `readFirst`
   */
  async settle(
    tx: EntityManager,
    changes: readonly RecipientChange[],
    known?: KnownRecipients,
  ): Promise<RecipientMove[]> {
    if (changes.length === 0) return [];
    const others =
      known ??
      (await this.lock(
        tx,
        changes.filter(({ recipient }) => !recipient),
      ));
    const possible: RecipientMove[] = [];
    for (const change of furthest(changes)) {
      const recipient = change.recipient ?? others.get(keyOf(change));
      const move = recipient && moveOf(change, recipient);
      if (move) possible.push(move);
    }
    if (possible.length === 0) return [];
    const campaigns = await this.briefs.of(tx, campaignsOf(possible));
    // Retention takes a campaign before its recipients: a late receipt of one that has gone must not stop those beside it.
    const moves = possible.filter(({ campaignId }) => campaigns.has(campaignId));
    if (moves.length === 0) return [];
    await this.addTerms(tx, moves, campaigns);
    await writeStatuses(tx, moves);
    const refunds = await this.refunds.of(tx, moves, campaigns);
    countMoves(tx, this.traffic, moves, campaigns);
    await this.finish(tx, moves, refunds, (ended) => this.events.publish(tx, moves, ended));
    return moves;
  }

  /**
   * Counts moves whose statuses have been written, and settles what follows from them.
   * @param publish tells subscribers, given the campaigns that ended with these moves; before the balances are locked
   */
  async finish(
    tx: EntityManager,
    moves: readonly CountedMove[],
    refunds: readonly Refund[],
    publish: (ended: readonly number[]) => Promise<void>,
  ): Promise<void> {
    const closed = await count(tx, moves);
    const ended = await this.states.settle(
      tx,
      closed,
      new Map(refunds.map(({ campaignId, amount }) => [campaignId, amount])),
    );
    await publish(ended);
    await this.refunds.pay(tx, refunds);
  }

  /** Locks recipients in the order of their keys; those that do not exist are missing. */
  async lock(tx: EntityManager, places: readonly RecipientKey[]): Promise<KnownRecipients> {
    if (places.length === 0) return new Map();
    const rows: (KnownRecipient & RecipientKey)[] = await tx.query(
      `SELECT STRAIGHT_JOIN r.campaign_id AS campaignId, r.seq, r.receiver AS number, r.status, r.attempts
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
       WHERE r.campaign_id IN (?) ${lockOnly('r')}`,
      [jsonRows(toLock(places)), campaignsOf(places)],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** Adds lane, price and sender of each recipient; a campaign without own terms costs no look at them. Terms never change. */
  private async addTerms(
    tx: EntityManager,
    moves: readonly RecipientMove[],
    campaigns: ReadonlyMap<number, CampaignBrief>,
  ): Promise<void> {
    const own = moves.filter(({ campaignId }) => campaigns.get(campaignId)?.ownTerms);
    const terms = await this.ownTerms(tx, own);
    for (const move of moves) {
      const campaign = campaigns.get(move.campaignId);
      if (!campaign) throw new Error(`campaign ${move.campaignId} is missing`);
      const row = campaign.ownTerms ? terms.get(keyOf(move)) : undefined;
      move.lane = laneOf(campaign.totalRows, move.seq, row?.laneGroup);
      move.credits = row?.credits ?? campaign.unitCredits;
      move.sender = row?.sender ?? campaign.sender;
    }
  }

  private async ownTerms(tx: EntityManager, moves: readonly RecipientMove[]): Promise<ReadonlyMap<string, TermsRow>> {
    if (moves.length === 0) return new Map();
    const rows: TermsRow[] = await tx.query(
      `SELECT STRAIGHT_JOIN t.campaign_id AS campaignId, t.seq, t.lane_group AS laneGroup, t.credits, t.sender
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN recipient_terms t ON t.campaign_id = j.campaign_id AND t.seq = j.seq WHERE t.campaign_id IN (?)`,
      [jsonRows(moves.map(({ campaignId, seq }) => [campaignId, seq])), campaignsOf(moves)],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }
}
