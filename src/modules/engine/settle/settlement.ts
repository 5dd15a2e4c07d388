import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { jsonRows, lockOnly } from '../../../platform/database/index.js';
import { CreditBook, type UsageShare, UsageTally } from '../../credits/index.js';
import { type OptOut, optOutOf, ownKinds, RouteDirectory } from '../../providers/index.js';
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

interface Addressed {
  accountId: number;
  campaignId: number;
  number: string;
}

interface PersonWhoLeft extends Omit<Addressed, 'campaignId'>, OptOut {
  routeId: number | null;
}

/** People whom accounts may not write to; implemented by the suppressions module. */
export abstract class StopList {
  /** Read before each batch. @returns indexes */
  abstract among(addressed: readonly Addressed[]): Promise<ReadonlySet<number>>;
  /** Adds people of whom a carrier says that they have left (reference/suppressions#people-who-have-left). */
  abstract left(tx: EntityManager, people: readonly PersonWhoLeft[]): Promise<void>;
}

interface Refund {
  campaignId: number;
  recipients: number;
  amount: number;
  campaign: CampaignBrief;
  shares: readonly UsageShare[];
}

interface RefundTerms {
  refundFailed: number;
  refundRefused: number;
}

/** Refunds charged credits once: a refund is part of the status move. */
@Injectable()
export class Refunds {
  constructor(private readonly credits: CreditBook) {}

  /** Refunds at the charged price (reference/credits#refunds); that of a test is 0. */
  async of(
    tx: EntityManager,
    moves: readonly RecipientMove[],
    campaigns: ReadonlyMap<number, CampaignBrief>,
  ): Promise<Refund[]> {
    const charged = moves.filter(({ credits, refund, to }) => credits > 0 && (refund || to === RecipientStatus.Failed));
    if (charged.length === 0) return [];
    const accountOf = ({ campaignId }: RecipientMove): number => campaigns.get(campaignId)?.accountId ?? 0;
    const terms = await this.termsOf(tx, charged.filter(({ refund }) => !refund).map(accountOf));
    const refunded = charged.filter((move) => {
      const of = terms.get(accountOf(move));
      return move.refund || (move.isRefused ? of?.refundRefused : of?.refundFailed) === 1;
    });
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

  /** Locks the balances until the commit: call last. */
  async pay(tx: EntityManager, refunds: readonly Refund[]): Promise<void> {
    await this.credits.move(
      tx,
      refunds.map(({ campaign: { accountId, balance, requestId, channel }, recipients, amount, shares }) => {
        const usage = { channel, shares };
        return { kind: 'refund', accountId, balance, requestId, amount, usage, note: `${recipients} recipients` };
      }),
    );
  }

  private async termsOf(tx: EntityManager, accountIds: readonly number[]): Promise<ReadonlyMap<number, RefundTerms>> {
    if (accountIds.length === 0) return new Map();
    const rows: (RefundTerms & { id: number })[] = await tx.query(
      'SELECT id, refund_failed AS refundFailed, refund_refused AS refundRefused FROM accounts WHERE id IN (?)',
      [[...new Set(accountIds)]],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** For the timeline: cancelled recipients are always refunded, so only failures need a mark. */
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
 * The only writer of recipient statuses, in the order of docs/decisions/0004: statuses, counters, campaigns, balances.
 * @example
 * await readFirst(this.dataSource, (tx, locking) =>
 *   this.settlement.settle(tx, changes, locking ? undefined : read),
 * );
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly briefs: CampaignBriefs,
    private readonly states: CampaignStates,
    private readonly refunds: Refunds,
    private readonly events: StatusEvents,
    private readonly traffic: Traffic,
    private readonly stopList: StopList,
    private readonly routes: RouteDirectory,
  ) {}

  /** Returns the moves that took effect. @param known recipients as read; absent = locked here @throws Outdated */
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
    // Retention deletes campaigns before recipients: a late receipt must not fail the others.
    const moves = possible.filter(({ campaignId }) => campaigns.has(campaignId));
    if (moves.length === 0) return [];
    await this.addTerms(tx, moves, campaigns);
    await writeStatuses(tx, moves);
    const left = this.peopleWhoLeft(moves, campaigns);
    if (left.length > 0) await this.stopList.left(tx, left);
    const refunds = await this.refunds.of(tx, moves, campaigns);
    countMoves(tx, this.traffic, moves, campaigns);
    await this.finish(tx, moves, refunds, (ended) => this.events.publish(tx, moves, ended));
    return moves;
  }

  /** Counts written moves, completes campaigns, and refunds. @param publish runs before the balances are locked */
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

  /** Locks recipients in key order; unknown ones are missing. */
  async lock(tx: EntityManager, keys: readonly RecipientKey[]): Promise<KnownRecipients> {
    if (keys.length === 0) return new Map();
    const rows: (KnownRecipient & RecipientKey)[] = await tx.query(
      `SELECT STRAIGHT_JOIN r.campaign_id AS campaignId, r.seq, r.receiver AS number, r.status, r.attempts
       FROM JSON_TABLE(?, '$[*]' COLUMNS (campaign_id BIGINT PATH '$[0]', seq INT PATH '$[1]')) j
       JOIN campaign_recipients r FORCE INDEX (PRIMARY) ON r.campaign_id = j.campaign_id AND r.seq = j.seq
       WHERE r.campaign_id IN (?) ${lockOnly('r')}`,
      [jsonRows(toLock(keys)), campaignsOf(keys)],
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** Adds lane, price and sender. Terms never change; campaigns without own terms need no query. */
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

  private peopleWhoLeft(
    moves: readonly RecipientMove[],
    campaigns: ReadonlyMap<number, CampaignBrief>,
  ): PersonWhoLeft[] {
    return moves.flatMap((move) => {
      const { routeId, number } = move;
      const campaign = move.to === RecipientStatus.Failed ? campaigns.get(move.campaignId) : undefined;
      if (campaign?.isTest) return [];
      const route = campaign && routeId !== null ? this.routes.lastRead(routeId) : null;
      const optOut = campaign && optOutOf(campaign.routeKind, move, ownKinds(route?.config));
      return optOut ? [{ accountId: campaign.accountId, number, routeId, ...optOut }] : [];
    });
  }
}
